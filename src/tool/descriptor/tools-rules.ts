// The rules that a tools.json must follow beyond its schema.
import type { z } from 'zod'
import { err, ok, type Result } from '../../model/result.ts'
import { whyNoVariable } from '../process/environment.ts'
import type { Slot } from './argv.ts'
import { compileCheck } from './check-arguments.ts'
import type { Described, Execution, ToolEntry, ToolsFile } from './tools-file.ts'

/** Turnwise answers this tool itself, from memory. */
const RESERVED = 'read_skill'

/** Each tool with how it is run, if all parts of the file fit together. Otherwise what does not fit, one line each. */
export function described(file: ToolsFile): Result<readonly Described[], readonly string[]> {
  const checks = file.tools.map(({ parameters }) => compileCheck(parameters))
  const wrong = [
    ...file.tools.flatMap((entry, index) => [
      ...line(`tools.${index}.name`, whyNoName(entry, index, file)),
      ...entry.env.flatMap((name, place) => line(`tools.${index}.env.${place}`, whyNoVariable(name))),
    ]),
    ...checks.flatMap((check, index) => (check.ok ? [] : [`tools.${index}.parameters${check.fault}`])),
    ...file.execution.flatMap((execution, index) => mismatches(execution, index, file)),
  ]
  if (wrong.length > 0) return err(wrong)
  return ok(
    file.tools.flatMap((entry, index) => {
      const execution = file.execution.find(({ tool }) => tool === entry.name)
      const check = checks[index]
      return execution !== undefined && check?.ok ? [{ entry, execution, check: check.value }] : []
    }),
  )
}

/** The schema's complaints about a file, one line each: the path, and what would be right. */
export function complaintsAbout({ issues }: z.ZodError): readonly string[] {
  return issues.flatMap(issue => {
    const place = (key: string[]) => [...issue.path.map(String), ...key].join('.') || 'the file'
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => `${place([key])}: ${SLOT_KEYS.has(key) ? 'has no effect there' : 'there is no such key'}`)
    if (issue.code === 'invalid_key') return [`${place([])}: ${issue.issues[0]?.message}`]
    if (issue.code === 'invalid_union' && issue.discriminator !== undefined)
      return [`${place([])}: expected one of positional, flag, flagifboolean`]
    return [`${place([])}: ${issue.message.replace(/^(Invalid (input|option)|Too (small|big)): /, '')}`]
  })
}

/** Keys of a slot that only some kinds of slots have. */
const SLOT_KEYS: ReadonlySet<string> = new Set([
  'flag',
  'flagIfTrue',
  'flagIfFalse',
  'normalizeNewlines',
  'allowDash',
  'resolveCommand',
])

function whyNoName({ name }: ToolEntry, index: number, { tools, execution }: ToolsFile): string | undefined {
  if (name === RESERVED) return `"${name}" is a tool of the house`
  if (tools.findIndex(other => other.name === name) < index) return `there is already a tool "${name}"`
  return execution.some(({ tool }) => tool === name) ? undefined : `nothing under "execution" says how "${name}" is run`
}

function mismatches(execution: Execution, index: number, { tools, allowlist, execution: all }: ToolsFile): string[] {
  const path = `execution.${index}`
  const entry = tools.find(({ name }) => name === execution.tool)
  const properties = entry?.parameters.properties
  return [
    ...(entry === undefined ? [`${path}.tool: there is no tool "${execution.tool}"`] : []),
    ...(all.findIndex(({ tool }) => tool === execution.tool) < index
      ? [`${path}.tool: how "${execution.tool}" is run is said already`]
      : []),
    ...line(path, whyNotAllowed(execution, allowlist)),
    ...execution.args.flatMap((slot, place) => [
      ...(entry === undefined || isKeyOf(properties, slot.param)
        ? []
        : [`${path}.args.${place}.param: "${slot.param}" is not a property of the parameters of "${entry.name}"`]),
      ...line(`${path}.args.${place}`, whyNoSlot(slot, allowlist)),
    ]),
  ]
}

function whyNoSlot(slot: Slot, allowlist: ToolsFile['allowlist']): string | undefined {
  if (slot.kind === 'flagifboolean')
    return slot.flagIfTrue === undefined && slot.flagIfFalse === undefined ? 'needs flagIfTrue or flagIfFalse' : undefined
  const { resolveCommand: resolver } = slot
  if (resolver === undefined || 'script' in resolver) return undefined
  const why = whyNotAllowed(resolver, allowlist)
  return why === undefined ? undefined : `resolveCommand: ${why}`
}

function whyNotAllowed(
  { binary, subcommand }: { readonly binary: string; readonly subcommand: string },
  allowlist: ToolsFile['allowlist'],
): string | undefined {
  const subcommands = Object.hasOwn(allowlist, binary) ? allowlist[binary] : undefined
  if (subcommands === undefined) return `the binary "${binary}" is not in the allowlist`
  return subcommands.includes(subcommand)
    ? undefined
    : `the subcommand "${subcommand}" is not in the allowlist of "${binary}": ${JSON.stringify(subcommands)}`
}

const line = (path: string, why: string | undefined): string[] => (why === undefined ? [] : [`${path}: ${why}`])

const isKeyOf = (value: unknown, key: string): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, key)
