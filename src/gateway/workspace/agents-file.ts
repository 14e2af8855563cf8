// Reads and checks agents.json.
import { z } from 'zod'
import { presets } from '../../context/presets.ts'
import type { CatalogSetting } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { mergeSampling, type Sampling } from '../../model/sampling.ts'
import { nameListSchema } from '../../model/settings/name-list.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { maxTokensSchema, samplingSchema } from '../../model/settings/sampling-schema.ts'
import { type Agent, ASSISTANT, type WrittenAgent } from '../../model/voice.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { complaints } from './complaint.ts'
import { whyNoModel, whyNoPrice, whyNoRoom, whyNotSampled } from './models.ts'
import { whyNoName } from './policies.ts'
import {
  defaultModel,
  modelNamed,
  type Port42Keys,
  passedOver,
  port42Shape,
  port42Temperature,
  temperatureOverride,
} from './port42-agents.ts'

/** The content of `agents.json`: the agents, and the meaning of `head-tail` here if the file defines it. */
export type AgentsFile = {
  readonly agents: readonly Agent[]
  readonly policies: readonly Policy[]
  /** The same agents as written in the file, before texts are joined and defaults are applied. */
  readonly written: readonly WrittenAgent[]
  /** Keys of other programs that mean nothing here, on one line. */
  readonly remark?: string
}

/** The settings that an agent may name or depends on. */
export type AgentsSetting = {
  readonly model: string
  readonly policies: readonly string[]
  readonly catalog: CatalogSetting
  /** Whether every model needs a price. */
  readonly isBudgeted: boolean
}

type Written = Omit<WrittenAgent, 'key'>

type FileAgent = Written & { readonly temperature_override?: number | null }

type Guidance =
  | string
  | { readonly implementation?: string; readonly format_template?: string; readonly artifact_guidance?: string }

type Responses = {
  readonly context_window?: { readonly max_messages: number; readonly recent_messages: number; readonly system_messages: number }
  readonly max_tokens?: number
  readonly stream?: boolean
}

type FileShape = Port42Keys & {
  readonly base_guidance?: Guidance
  readonly agents: Readonly<Record<string, FileAgent>>
  readonly response_config?: Responses
}

const text = z.string().refine(given => given.trim() !== '', 'must not be empty')
const atLeastOne = z.int().min(1)

/** Allows only a color, because a page writes it into a style. */
export const color: z.ZodType<string> = z
  .string()
  .regex(/^(#[\da-f]{3}|#[\da-f]{6}|[a-z]{3,20})$/i, 'is not a color; write it as in "#0a7" or "teal"')

const agentShape = {
  name: text,
  prompt: z.string(),
  description: text.exactOptional(),
  personality: z.string().exactOptional(),
  example: z.union([z.string(), z.record(z.string(), z.unknown())]).exactOptional(),
  suffix: z.string().exactOptional(),
  no_implementation: z.boolean().exactOptional(),
  model: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  color: color.exactOptional(),
  thinking: z.boolean().exactOptional(),
  sampling: samplingSchema.exactOptional(),
  maxTokens: maxTokensSchema.exactOptional(),
  tools: nameListSchema.exactOptional(),
  skills: nameListSchema.exactOptional(),
  protocol: z.enum(['native', 'text']).exactOptional(),
}

/** An agent as it is sent, without its key. */
export const sentAgent: z.ZodType<Written, unknown> = z.strictObject(agentShape)

/** Port 42's own shape, plus what Turnwise adds to an agent. */
const fileSchema: z.ZodType<FileShape, unknown> = z.strictObject({
  base_guidance: z
    .union([
      z.string(),
      z.strictObject({
        implementation: z.string().exactOptional(),
        format_template: z.string().exactOptional(),
        artifact_guidance: z.string().exactOptional(),
      }),
    ])
    .exactOptional(),
  agents: z.record(z.string(), z.strictObject({ ...agentShape, temperature_override: temperatureOverride })),
  ...port42Shape,
  response_config: z
    .strictObject({
      context_window: z
        .strictObject({
          max_messages: atLeastOne.default(20),
          recent_messages: atLeastOne.default(17),
          system_messages: atLeastOne.default(3),
        })
        .exactOptional(),
      max_tokens: atLeastOne.exactOptional(),
      stream: z.boolean().exactOptional(),
    })
    .exactOptional(),
})

/** Reads agents from the text of `agents.json`, or returns everything that is wrong with it, one line each. */
export function parseAgents(given: string, setting: AgentsSetting): Result<AgentsFile, Fault> {
  const file = parseJsonc(given)
  if (!file.ok) return file
  const parsed = fileSchema.safeParse(file.value)
  if (!parsed.success) return err(fault('invalid', complaints(fileSchema, file.value, parsed.error).join('\n')))
  const { file: understood, passed } = withoutPort42(parsed.data, setting)
  const wrong = contradictions(understood, setting)
  if (wrong.length > 0) return err(fault('invalid', wrong.join('\n')))
  const remark = passed.length === 0 ? {} : { remark: `passed over, because it means nothing here: ${passed.join(', ')}` }
  return ok({ ...agentsOf(understood), ...remark })
}

/** Checks an agent that was sent under a key, or returns everything that is wrong with it, one line each. */
export function parseAgent(key: string, body: unknown, setting: AgentsSetting): Result<WrittenAgent, Fault> {
  const parsed = sentAgent.safeParse(body)
  const textless = noText(key, (body as { readonly prompt?: unknown } | null)?.prompt, '')
  if (!parsed.success) return err(fault('invalid', [...textless, ...complaints(sentAgent, body, parsed.error)].join('\n')))
  const wrong = [...at('key', whyNoName(key)), ...textless, ...unusable(parsed.data, setting, '')]
  return wrong.length === 0 ? ok({ key, ...parsed.data }) : err(fault('invalid', wrong.join('\n')))
}

const at = (path: string, why: string | undefined): string[] => (why === undefined ? [] : [`${path}: ${why}`])

/** Only the built-in agent may have an empty prompt, so that it stays the same when it is written to a file. */
const noText = (key: string, prompt: unknown, place: string): string[] =>
  key === ASSISTANT.key || typeof prompt !== 'string' || prompt.trim() !== ''
    ? []
    : [`${place}prompt: ${JSON.stringify(prompt)} must not be empty`]

/** The complaints about a model or a policy that does not exist; `place` is the agent's path. */
const unusable = (agent: Written, setting: AgentsSetting, place: string, standard = setting.model): string[] => {
  const { model, policy, maxTokens } = agent
  const asked = model ?? standard
  const unfit = whyNotSampled(agent, asked, setting.catalog)
  return [
    ...at(`${place}model`, whyUnusable(model, setting)),
    ...(unfit === undefined ? [] : [`${place}sampling.${unfit.key}: ${unfit.why}`]),
    ...(maxTokens === undefined ? [] : at(`${place}maxTokens`, whyNoRoom(maxTokens, asked, setting.catalog))),
    ...(policy === undefined || setting.policies.includes(policy)
      ? []
      : [`${place}policy: there is no "${policy}"; known: ${setting.policies.join(', ')}`]),
  ]
}

const whyUnusable = (model: string | undefined, { catalog, isBudgeted }: AgentsSetting): string | undefined =>
  model === undefined ? undefined : (whyNoModel(model, catalog) ?? (isBudgeted ? whyNoPrice(model, catalog) : undefined))

/** A file without Port 42's keys: what they mean is in the agents, and in what all of them inherit. */
type Understood = Pick<FileShape, 'base_guidance' | 'response_config'> & {
  readonly agents: Readonly<Record<string, Written>>
  readonly standard: ReturnType<typeof defaultModel>
  /** The sampling that agents have from the rest of the file, by key. */
  readonly inherited: Readonly<Record<string, Sampling>>
}

/**
 * Understands Port 42's keys. A temperature that a model does not take is passed over like a key that means nothing here: Port 42
 * gives every model one.
 */
function withoutPort42(
  { agents, base_guidance, response_config, ...keys }: FileShape,
  { model, catalog }: AgentsSetting,
): { readonly file: Understood; readonly passed: readonly string[] } {
  const standard = defaultModel(keys)
  const inherited: Record<string, Sampling> = {}
  const passed: string[] = [...passedOver(keys, base_guidance)]
  const understood = Object.entries(agents).map(([key, { temperature_override: override, ...agent }]): [string, Written] => {
    const named = agent.model === undefined ? {} : { model: modelNamed(agent.model, keys) }
    const temperature = port42Temperature({ ...agent, temperature_override: override ?? null }, keys)
    if (temperature === undefined || agent.sampling?.temperature !== undefined) return [key, { ...agent, ...named }]
    const sampling = { ...agent.sampling, temperature }
    const unfit = whyNotSampled({ ...agent, sampling }, named.model ?? standard?.model ?? model, catalog)
    if (unfit?.key === 'temperature') {
      passed.push(`agents.${key}: the temperature ${temperature}`)
      return [key, { ...agent, ...named }]
    }
    // What an agent says itself stays with it when it is edited.
    const isOwn = typeof override === 'number' || agent.model !== undefined
    if (!isOwn) inherited[key] = { temperature }
    return [key, { ...agent, ...named, ...(isOwn ? { sampling } : {}) }]
  })
  const rest = {
    ...(base_guidance === undefined ? {} : { base_guidance }),
    ...(response_config === undefined ? {} : { response_config }),
  }
  return { file: { ...rest, agents: Object.fromEntries(understood), standard, inherited }, passed }
}

/** Combinations that could not work although each key is valid. */
function contradictions({ agents, standard: brought, response_config }: Understood, setting: AgentsSetting): string[] {
  const { model, catalog } = setting
  const { context_window: window, max_tokens: most } = response_config ?? {}
  const standard = brought?.model ?? model
  const models = [standard, ...Object.values(agents).flatMap(agent => agent.model ?? [])]
  return [
    ...Object.entries(agents).flatMap(([key, agent]) => [
      ...at(`agents.${key}`, whyNoName(key)),
      ...noText(key, agent.prompt, `agents.${key}.`),
      ...unusable(agent, setting, `agents.${key}.`, standard),
    ]),
    ...(brought === undefined ? [] : at(brought.place, whyUnusable(brought.model, setting))),
    ...(window === undefined ? [] : at('response_config.context_window', whyNoWindow(window))),
    ...(most === undefined
      ? []
      : at(
          'response_config.max_tokens',
          models.map(each => whyNoRoom(most, each, catalog)).find(why => why !== undefined),
        )),
  ]
}

function whyNoWindow({
  max_messages: max,
  recent_messages: recent,
  system_messages: system,
}: Required<Responses>['context_window']) {
  if (recent + system <= max) return undefined
  return `recent_messages ${recent} + system_messages ${system} = ${recent + system} is more than max_messages ${max}; make room, or ask for less`
}

function agentsOf({ base_guidance = '', agents, standard, inherited, response_config }: Understood): AgentsFile {
  const { context_window: window, max_tokens: most, stream } = response_config ?? {}
  return {
    agents: Object.entries(agents).map(([key, written]): Agent => {
      const { name, description, color, thinking, protocol, tools, skills, maxTokens = most } = written
      const model = written.model ?? standard?.model
      const sampling = mergeSampling(written.sampling, inherited[key])
      const policy = written.policy ?? (window === undefined ? undefined : presets['head-tail'].name)
      return {
        key,
        name,
        prompt: promptOf(written, base_guidance),
        ...(description === undefined ? {} : { description }),
        ...(color === undefined ? {} : { color }),
        ...(model === undefined ? {} : { model }),
        ...(policy === undefined ? {} : { policy }),
        ...(thinking === undefined ? {} : { thinking }),
        ...(sampling === undefined ? {} : { sampling }),
        ...(protocol === 'text' ? { protocol } : {}),
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(tools === undefined ? {} : { tools }),
        ...(skills === undefined ? {} : { skills }),
        ...(stream === undefined ? {} : { stream }),
      }
    }),
    policies: window === undefined ? [] : [headTail(window)],
    written: Object.entries(agents).map(([key, written]) => ({ key, ...written })),
  }
}

/** One of the `system_messages` marks the place of the note, the rest are the first messages. */
const headTail = ({
  max_messages: max,
  recent_messages: recent,
  system_messages: system,
}: Required<Responses>['context_window']): Policy => ({
  ...presets['head-tail'],
  window: { kind: 'head-tail', max, head: system - 1, recent, noteOver: 10 },
})

/** Prompt, personality, base guidance, example, suffix: leaves out empty ones and puts a blank line between them. */
function promptOf(
  { prompt, personality = '', example = '', suffix = '', no_implementation }: Written,
  guidance: Guidance,
): string {
  const base = typeof guidance === 'string' ? [guidance] : [guidance.implementation ?? '', guidance.format_template ?? '']
  const shown = typeof example === 'string' ? example : `Example:\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
  return [prompt, personality, ...(no_implementation === true ? [] : base), shown, suffix]
    .map(part => part.trim())
    .filter(part => part !== '')
    .join('\n\n')
}
