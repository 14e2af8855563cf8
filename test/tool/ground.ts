import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Operator } from '../../src/tool/descriptor/skill-tools.ts'
import { confinement } from '../../src/tool/process/confine.ts'
import { execute, type ProcessCommand } from '../../src/tool/process/execute.ts'
import type { Ran } from '../../src/tool/process/outcome.ts'
import { isReady, type Settlement, type Tool } from '../../src/tool/toolbox.ts'

/** A folder that goes away with the test. */
export function folderFor(t: Pick<TestContext, 'after'>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwise-tool-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A program, as a script that names its interpreter. */
export function putProgram(file: string, text: string): string {
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return file
}

/** A program that says which arguments it got. */
export const putProbe = (folder: string): string =>
  putProgram(join(folder, 'probe'), '#!/usr/bin/env node\nprocess.stdout.write(JSON.stringify(process.argv.slice(2)))\n')

export const PATH: string = `${dirname(process.execPath)}:/usr/bin:/bin`

export const operatorIn = (folder: string, over: Partial<Operator> = {}): Operator => ({
  accept: [],
  approve: {},
  allowScripts: false,
  path: `${folder}:${PATH}`,
  environment: { HOME: folder },
  cwd: folder,
  ownBinary: join(import.meta.dirname, '../../bin/turnwise'),
  ...over,
})

/** A `tools.json` with one tool, whose every property is a text. */
export function oneTool(execution: { binary: string; subcommand?: string; args?: readonly object[] }, over: object = {}): string {
  const { binary, subcommand = '', args = [] } = execution
  const resolvers = args.flatMap(arg =>
    'resolveCommand' in arg ? [arg.resolveCommand as { binary?: string; subcommand?: string }] : [],
  )
  const allowed = [{ binary, subcommand }, ...resolvers].flatMap(each =>
    each.binary === undefined ? [] : [[each.binary, [each.subcommand ?? '']]],
  )
  const properties = Object.fromEntries(args.map(arg => [(arg as { param: string }).param, {}]))
  return JSON.stringify({
    tools: [{ name: 'it', parameters: { type: 'object', properties }, ...over }],
    allowlist: Object.fromEntries(allowed),
    execution: [{ tool: 'it', binary, subcommand, args }],
  })
}

/** Calls a tool as a turn would. */
export async function call(
  tool: Tool | undefined,
  args: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<Settlement> {
  if (tool === undefined) throw new Error('there is no such tool')
  const prepared = await tool.prepare(args)
  return isReady(prepared) ? prepared.run(signal) : prepared
}

const wrapper = await confinement()

/** Runs a program with a mark of its own in the environment, by which `leftovers` knows it and all its kin. */
export const runMarked = (
  mark: string,
  [path = '', ...args]: readonly string[],
  over: Partial<ProcessCommand> & { signal?: AbortSignal } = {},
): Promise<Ran> =>
  execute(
    { wrapper, path, args, cwd: '/', env: { PATH, TEST_MARK: mark }, timeoutMs: 10_000, ...over },
    over.signal ?? new AbortController().signal,
  )

/** Processes that carry the mark. */
export const leftovers = (mark: string): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && environmentOf(pid).includes(`TEST_MARK=${mark}\0`))

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
