// Runs the program that works out the value of a slot.
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolverFacts } from '../../model/approval.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { argumentText, type Resolver, type Slot, toolArgv, type Values } from '../descriptor/argv.ts'
import type { Execution } from '../descriptor/tools-file.ts'
import { type Binary, findBinary, openBinary, type Search } from './binary.ts'
import { execute, type ProcessCommand } from './execute.ts'
import { outcomeOf } from './outcome.ts'

/** A slot whose value another program works out, and that program. */
export type Resolving = { readonly slot: Slot; readonly resolver: Resolver; readonly binary: Binary }

/** Where a skill's own scripts are, and whether the operator lets them run. */
export type Scripts = { readonly folder: string; readonly allowScripts: boolean }

/** A program that one call needs to work out a value, with its arguments. */
export type ResolverRun = { readonly slot: Slot; readonly binary: Binary; readonly args: readonly string[] }

/** A command line before any resolver has run. A place that a resolver will fill is marked with its parameter's name. */
export type UnresolvedCommandLine = {
  readonly argv: readonly string[]
  readonly resolverRuns: readonly ResolverRun[]
  /** The resolvers, as a person sees them. */
  readonly resolvers: readonly ResolverFacts[]
}

const RESOLVER_MS = 5000
const MOST_BYTES = 64 * 1024

/** Finds the program of every slot that has a resolver. */
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

/** What a call would run, without running anything. Arguments that cannot be used are found here already. */
export function commandLineOf(
  execution: Execution,
  resolving: readonly Resolving[],
  values: Values,
): Result<UnresolvedCommandLine, string> {
  const resolverRuns: ResolverRun[] = []
  for (const { slot, resolver, binary } of resolving) {
    const given = slot.kind === 'flagifboolean' ? ok(undefined) : argumentText(slot, values)
    if (!given.ok) return given
    if (given.value !== undefined) resolverRuns.push({ slot, binary, args: argsOf(resolver, given.value) })
  }
  const marks = new Map(resolverRuns.map(({ slot }) => [slot, `<${slot.param}>`]))
  const argv = toolArgv(execution, values, marks)
  if (!argv.ok) return argv
  const resolvers = resolverRuns.map(({ slot, binary, args }) => ({
    param: slot.param,
    at: placeOf(slot, execution, values, marks),
    argv: [binary.name, ...args],
    binary: binary.file,
  }))
  return ok({ argv: [execution.binary, ...argv.value], resolverRuns, resolvers })
}

/** The index in the whole argv, binary's name included, that a slot fills: the last one of the line that ends with the slot. */
function placeOf(slot: Slot, execution: Execution, values: Values, marks: ReadonlyMap<Slot, string>): number {
  const args = execution.args.slice(0, execution.args.indexOf(slot) + 1)
  const through = toolArgv({ ...execution, args }, values, marks)
  return through.ok ? through.value.length : 0
}

/** Runs the resolvers of a call, one after the other. A resolver that gives no value ends the call. */
export async function resolve(
  resolverRuns: readonly ResolverRun[],
  room: Pick<ProcessCommand, 'wrapper' | 'cwd' | 'env'>,
  signal: AbortSignal,
): Promise<Result<ReadonlyMap<Slot, string>, string>> {
  const resolved = new Map<Slot, string>()
  for (const { slot, binary, args } of resolverRuns) {
    const answer = await ask(binary, args, room, signal)
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
  room: Pick<ProcessCommand, 'wrapper' | 'cwd' | 'env'>,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const changed = await binary.whyChanged()
  if (changed !== undefined) return err(changed)
  const command = { ...room, path: binary.path, args, timeoutMs: RESOLVER_MS }
  const { end, stdout } = await execute(command, signal)
  if (end.kind !== 'exit' || end.code !== 0) return err(outcomeOf(end))
  if (stdout.bytes > MOST_BYTES) return err('the answer is too long')
  const text = new TextDecoder().decode(stdout.front).trim()
  return text === '' ? err('no answer') : ok(text)
}

/** Finds a script by its bare name: a regular file in the skill's own folder, with no link on the way. */
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
