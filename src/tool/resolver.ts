import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { err, ok, type Result } from '../model/result.ts'
import { type Binary, findBinary, openBinary, type Search } from './binary.ts'
import { type Command, execute } from './execute.ts'
import { outcomeOf } from './outcome.ts'
import { type Resolver, type Slot, textOf, type Values } from './slots.ts'

/** A slot whose value another program works out, and that program. */
export type Resolving = { readonly slot: Slot; readonly resolver: Resolver; readonly binary: Binary }

/** Where a skill's own scripts are, and whether the operator lets them run. */
export type Scripts = { readonly folder: string; readonly allowScripts: boolean }

const RESOLVER_MS = 5000
const MOST_BYTES = 64 * 1024

/** Finds the program behind every slot that has one, once, when the tool is loaded. */
export async function resolvingOf(
  slots: readonly Slot[],
  search: Search,
  scripts: Scripts,
): Promise<Result<readonly Resolving[], string>> {
  const found: Resolving[] = []
  for (const slot of slots) {
    if (slot.kind === 'flagifboolean' || slot.resolveCommand === undefined) continue
    const { resolveCommand: resolver } = slot
    const binary = 'script' in resolver ? await findScript(resolver.script, scripts) : await findBinary(resolver.binary, search)
    if (!binary.ok) return binary
    found.push({ slot, resolver, binary: binary.value })
  }
  return ok(found)
}

/** The values that had to be worked out, by slot; one that cannot be is the end of the call. */
export async function resolve(
  resolving: readonly Resolving[],
  values: Values,
  room: Pick<Command, 'wrapper' | 'cwd' | 'env'>,
): Promise<Result<ReadonlyMap<Slot, string>, string>> {
  const resolved = new Map<Slot, string>()
  for (const { slot, resolver, binary } of resolving) {
    const given = slot.kind === 'flagifboolean' ? ok(undefined) : textOf(slot, values)
    if (!given.ok) return given
    if (given.value === undefined) continue
    const answer = await ask(binary, argsOf(resolver, given.value), room)
    if (!answer.ok) return err(`${slot.param}: ${binary.name} could not work out the value: ${answer.fault}`)
    resolved.set(slot, answer.value)
  }
  return ok(resolved)
}

function argsOf(resolver: Resolver, value: string): readonly string[] {
  const args = resolver.args.map(arg => arg.replaceAll('$param', () => value))
  return 'script' in resolver || resolver.subcommand === '' ? args : [resolver.subcommand, ...args]
}

async function ask(
  binary: Binary,
  args: readonly string[],
  room: Pick<Command, 'wrapper' | 'cwd' | 'env'>,
): Promise<Result<string, string>> {
  const changed = await binary.whyChanged()
  if (changed !== undefined) return err(changed)
  const command = { ...room, path: binary.path, args, timeoutMs: RESOLVER_MS }
  const { end, stdout } = await execute(command, new AbortController().signal)
  if (end.kind !== 'exit' || end.code !== 0) return err(outcomeOf(end))
  if (stdout.bytes > MOST_BYTES) return err('the answer is too long')
  const text = new TextDecoder().decode(stdout.front).trim()
  return text === '' ? err('no answer') : ok(text)
}

/** A script by its bare name: a regular file in the skill's own folder, no link on the way. */
async function findScript(name: string, { folder, allowScripts }: Scripts): Promise<Result<Binary, string>> {
  if (!allowScripts) return err(`the script ${name} may not run; skills.allowScripts in the settings would allow it`)
  const scripts = join(folder, 'scripts')
  const file = join(scripts, name)
  const [place, script] = await Promise.all([lstat(scripts), lstat(file)].map(found => found.catch(() => undefined)))
  if (place === undefined || script === undefined) return err(`there is no script ${name} in scripts/`)
  if (!place.isDirectory() || !script.isFile()) return err(`the script ${name} is not a regular file in scripts/`)
  const opened = await openBinary(name, file)
  return opened.ok ? ok({ ...opened.value, whyChanged: () => whyMoved(opened.value, file) }) : opened
}

async function whyMoved(script: Binary, file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined)
  return found?.isFile() ? script.whyChanged() : `${file} changed since it was loaded`
}
