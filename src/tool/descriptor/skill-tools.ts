// Makes tools of the tools.json files of all skills.
import type { RunFacts } from '../../model/approval.ts'
import { ok, type Result } from '../../model/result.ts'
import { type ApproveRules, ruleFor } from '../approve-rules.ts'
import { describedHash } from '../described-hash.ts'
import { type Binary, findBinary, OWN_NAME } from '../process/binary.ts'
import { confinement } from '../process/confine.ts'
import { environmentFor, notGranted } from '../process/environment.ts'
import { execute, type ProcessCommand } from '../process/execute.ts'
import { settlementOfRun } from '../process/outcome.ts'
import { commandLineOf, type Resolving, resolve, resolvingOf, type UnresolvedCommandLine } from '../process/resolver.ts'
import type { Ready, Settlement, Tool } from '../toolbox.ts'
import { toolArgv, type Values } from './argv.ts'
import { type Described, parseToolsFile, type ToolEntry } from './tools-file.ts'

/** A skill's `tools.json`, and the skill's folder. */
export type SkillFile = { readonly skill: string; readonly folder: string; readonly text: string }

/** The settings that only the operator decides. */
export type Operator = {
  /** Binaries that can run anything are loaded only if they are named here. */
  readonly accept: readonly string[]
  readonly approve: ApproveRules
  readonly allowScripts: boolean
  /** Where binaries are searched. Tools get it as their PATH. */
  readonly path: string
  /** More variables for a tool, by its name. What a skill asks for is only a wish. */
  readonly env?: Readonly<Record<string, readonly string[]>>
  /** A tool gets the harmless variables from here, and those that `env` grants it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The directory in which tools run. */
  readonly cwd: string
  /** The absolute path of our own launcher, which skills call `turnwise`. */
  readonly ownBinary: string
}

/** Why a skill has fewer tools than it declares. */
export type SkillToolProblem = { readonly skill: string; readonly message: string }

export type SkillTools = {
  readonly tools: readonly Tool[]
  /** The skill that a tool belongs to, by the tool's name. */
  readonly owners: ReadonlyMap<string, string>
  readonly troubles: readonly SkillToolProblem[]
}

/** The tools of all skills, in the order of the skills and their files. A skill with a bad file stays, without tools. */
export async function skillTools(files: readonly SkillFile[], operator: Operator): Promise<SkillTools> {
  const wrapper = files.length === 0 ? [] : await confinement()
  const owners = new Map<string, string>()
  const tools: Tool[] = []
  const troubles: SkillToolProblem[] = []
  for (const file of files) {
    const { skill } = file
    const parsed = parseToolsFile(file.text)
    const wrong = parsed.ok ? taken(parsed.value, owners) : parsed.fault
    troubles.push(...wrong.map(message => ({ skill, message: `tools.json: ${message}` })))
    if (!parsed.ok || wrong.length > 0) continue
    for (const described of parsed.value) {
      owners.set(described.entry.name, skill)
      const tool = await toolOf(described, file, operator, wrapper)
      troubles.push(...wishesOf(described, operator).map(message => ({ skill, message })))
      if (tool.ok) tools.push(tool.value)
      else troubles.push({ skill, message: `the tool ${described.entry.name} is left out: ${tool.fault}` })
    }
  }
  return { tools, owners, troubles }
}

const taken = (described: readonly Described[], owners: ReadonlyMap<string, string>): readonly string[] =>
  described.flatMap(({ entry: { name } }) => {
    const owner = owners.get(name)
    return owner === undefined ? [] : [`the skill ${owner} already has a tool "${name}"`]
  })

/** The programs of a tool, as they were found on the disk. */
type Programs = { readonly binary: Binary; readonly resolving: readonly Resolving[] }

type Room = Pick<ProcessCommand, 'wrapper' | 'cwd' | 'env'>

async function toolOf(
  described: Described,
  { folder }: SkillFile,
  operator: Operator,
  wrapper: readonly string[],
): Promise<Result<Tool, string>> {
  const { entry, execution } = described
  const find = async (): Promise<Result<Programs, string>> => {
    const binary = await findBinary(execution.binary, operator)
    if (!binary.ok) return binary
    const resolving = await resolvingOf(execution.args, operator, { folder, allowScripts: operator.allowScripts })
    return resolving.ok ? ok({ binary: binary.value, resolving: resolving.value }) : resolving
  }
  const found = await find()
  if (!found.ok) return found
  let programs = found.value
  const decided = approvalOf(entry, operator)
  /** A tool that asks first finds a changed program again and shows it. A tool that does not ask keeps refusing it. */
  const current = async (): Promise<Result<Programs, string>> => {
    if (decided.approval !== 'ask' || (await whyChanged(programs)) === undefined) return ok(programs)
    const again = await find()
    if (again.ok) programs = again.value
    return again
  }
  const room = { wrapper, cwd: operator.cwd, env: environmentFor({ ...operator, ...grantingFor(described, operator) }) }
  const declared: RunFacts = { env: Object.keys(room.env).sort(), descriptor: describedHash({ entry, execution }) }
  return ok({
    spec: { name: entry.name, description: entry.description ?? '', parameters: entry.parameters },
    ...decided,
    parallel: entry.parallel ?? false,
    idempotent: entry.idempotent ?? false,
    startsProcess: true,
    prepare: async args => {
      const wrong = described.check(args)
      if (wrong !== undefined) return refused('the arguments do not fit; nothing was run', wrong)
      const now = await current()
      if (!now.ok) return { ok: false, outcome: `refused: ${now.fault}` }
      return readyFor(described, now.value, args as Values, room, declared)
    },
  })
}

/** The variables that the operator grants a tool, and whether the tool runs our own binary. */
function grantingFor({ entry, execution }: Described, { env = {} }: Operator): { granted: readonly string[]; isOurs: boolean } {
  const granted = Object.hasOwn(env, entry.name) ? (env[entry.name] ?? []) : []
  const resolvers = execution.args.flatMap(slot => ('resolveCommand' in slot ? (slot.resolveCommand ?? []) : []))
  const isOurs = [execution, ...resolvers].some(each => 'binary' in each && each.binary === OWN_NAME)
  return { granted, isOurs }
}

/** The variables that a tool asks for and does not get, one line each. */
const wishesOf = (described: Described, operator: Operator): readonly string[] =>
  notGranted(described.entry.env, grantingFor(described, operator)).map(
    name =>
      `the tool ${described.entry.name} asks for the variable ${name} and does not get it; only tools.env.${described.entry.name} in the settings can give it`,
  )

async function whyChanged({ binary, resolving }: Programs): Promise<string | undefined> {
  for (const each of [binary, ...resolving.map(({ binary: program }) => program)]) {
    const why = await each.whyChanged()
    if (why !== undefined) return why
  }
  return undefined
}

/** A skill can only make approval stricter. Without asking run only read-only tools, and tools that the operator allows. */
function approvalOf({ name, approval, readOnly = false }: ToolEntry, { approve }: Operator): Pick<Tool, 'approval' | 'rule'> {
  const rule = ruleFor(name, approve)
  if (approval === 'never') return { approval }
  if (rule !== undefined) return { approval: rule.approval, rule: rule.key }
  return { approval: readOnly && approval !== 'ask' ? 'auto' : 'ask' }
}

/** What a call with valid arguments would run. Resolvers are programs too, so none of them runs before the call itself does. */
function readyFor(described: Described, programs: Programs, values: Values, room: Room, declared: RunFacts): Ready | Settlement {
  const line = commandLineOf(described.execution, programs.resolving, values)
  if (!line.ok) return refused('the arguments cannot be used; nothing was run', line.fault)
  const { argv, resolvers } = line.value
  const facts = { ...declared, binary: programs.binary.file, ...(resolvers.length === 0 ? {} : { resolver: resolvers }) }
  return { argv, facts, run: signal => run(described, programs, line.value, values, room, signal) }
}

const refused = (outcome: string, content: string): Settlement => ({ ok: false, outcome, content })

async function run(
  { entry, execution }: Described,
  programs: Programs,
  { argv: [name = ''], resolverRuns }: UnresolvedCommandLine,
  values: Values,
  room: Room,
  signal: AbortSignal,
): Promise<Settlement> {
  // Checked before the resolvers run, so that none of them runs for a call that cannot.
  const early = await whyChanged(programs)
  if (early !== undefined) return { ok: false, outcome: `refused: ${early}` }
  const resolved = await resolve(resolverRuns, room, signal)
  const args = resolved.ok ? toolArgv(execution, values, resolved.value) : resolved
  if (!args.ok) return refused('a value could not be worked out; the tool was not run', args.fault)
  const final = resolverRuns.length === 0 ? {} : { argv: [name, ...args.value] }
  const changed = resolverRuns.length === 0 ? undefined : await programs.binary.whyChanged()
  if (changed !== undefined) return { ok: false, outcome: `refused: ${changed}`, ...final }
  const command = { ...room, path: programs.binary.path, args: args.value, timeoutMs: entry.timeoutMs }
  return { ...settlementOfRun(await execute(command, signal)), ...final }
}
