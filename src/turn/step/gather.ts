/** Reads everything that a request is built from, within a time limit. */
import { boundsOf } from '../../context/bounds.ts'
import { settlePolicy } from '../../context/reply-limit.ts'
import { canonical } from '../../context/text/canonical.ts'
import { CURRENT_RULES } from '../../context/versions.ts'
import type { KeptText, Past, PastQuery, Standing } from '../../log/ports.ts'
import type { Event } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { audienceOf } from '../../model/message/audience.ts'
import type { Abilities, Material } from '../../model/plan.ts'
import { RECALL_RULES, type RecallFrom, type RecallMaterial, wider } from '../../model/recall.ts'
import type { ReceiptInputs, WindowState } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { TurnSampling } from '../../model/sampling.ts'
import type { Session } from '../../model/session.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import { type Policy, policyLabel } from '../../model/settings/policy.ts'
import type { Speaker } from '../admission/speaker.ts'
import type { Unsaved } from '../durable/ledger.ts'
import type { Equipment } from '../equipment/equipment.ts'
import { namesIn, type SystemText, systemTextOf } from '../equipment/system-text.ts'
import { queryFor, readCandidates } from '../recall/recall-material.ts'
import { sourcesFor } from '../recall/sources.ts'
import type { Model, Services } from '../services.ts'
import { hash } from './measure.ts'
import { type PinnedElsewhere, pinnedFor } from './pinned-elsewhere.ts'
import { createTimeLimit, type TimeLimit } from './time-limit.ts'

/** Who asks for a context, and what is known about it without reading. */
export type ContextRequest = {
  readonly session: Session
  readonly speaker: Speaker
  /** How often the voice has answered to the end. */
  readonly answers: number
  readonly policy: Policy
  readonly model: Model
  /** Whether the model is asked to think, and how it is to choose its words. */
  readonly thinking: boolean
  readonly sampling?: TurnSampling
  readonly turn: Material['turn']
  readonly standing: Standing
  /** The message that caused the turn and the turn's own events: enough to go on with when the store does not answer. */
  readonly own: readonly Event[]
  /** Written, but not known to be in the log yet. */
  readonly unsaved: readonly (Unsaved | Imagined)[]
  /** Marks made after this seq do not count. */
  readonly marksThrough: number
  readonly equipment: Equipment
  /** As if nothing had been said after this seq. */
  readonly at?: number
  /** What the previous request showed, if the caller knows that better than the log. */
  readonly last?: WindowState
  /** What the previous request left for recall to spend, if the caller knows that better than the log. */
  readonly balance?: number
  /** Why the request gets no history. */
  readonly bare?: string
  /** What the first step of the turn was built from; later steps only add to it. */
  readonly frozen?: Frozen
  /** How long all of its reads together may take; without one, only the history is not waited for. */
  readonly timeLimit?: TimeLimit
}

/** An event that a dry run imagines: it is never written, so it has no id. */
export type Imagined = { readonly id?: undefined; readonly event: Event }

/** What must not change between the steps of a turn. */
export type Frozen = Pick<
  Material,
  'voice' | 'voices' | 'system' | 'tools' | 'listed' | 'asides' | 'model' | 'thinking' | 'sampling' | 'recall' | 'pinned'
> & {
  /** What the request of the last step showed. */
  readonly last: WindowState
  /** The first step had no history. */
  readonly isBare: boolean
}

export type Gathered = { readonly material: Material; readonly readMs: number }

/** All I/O before assembly: reads only what the policy can use, and never waits longer than the limit. */
export async function gather(services: Services, asking: ContextRequest): Promise<Result<Gathered, Fault>> {
  const { session, speaker, turn, standing, own, unsaved, frozen, marksThrough, equipment, answers, at } = asking
  const started = performance.now()
  const isInText = speaker.protocol === 'text'
  // A model that cannot be given tools is not.
  const tools = isInText || asking.model.facts.tools ? equipment.tools : []
  const listed = frozen === undefined ? (isInText || tools.length === 0 ? undefined : equipment.listed) : frozen.listed
  const timeLimit = asking.timeLimit ?? createTimeLimit(services.limits.historyMs)
  // A factor that cannot be read in time must not delay a turn, nor cost it its history.
  const factor = frozen?.model.factor ?? (await timeLimit.wait(services.factors.of(asking.model.name), () => 1, FACTOR_SHARE))
  const bounded = at === undefined ? {} : { at }
  const late = (): Result<never, Fault> => err(fault('store', `the history was not read within ${services.limits.historyMs} ms`))
  const [systemText, read, elsewhere] = await Promise.all([
    frozen === undefined
      ? systemTextInTime(asking.timeLimit, speaker, late, () =>
          systemTextOf(services, { session, speaker, cause: turn.cause, answers, equipment, tools, ...bounded }),
        )
      : ok({ system: frozen.system, asides: frozen.asides }),
    asking.bare === undefined
      ? timeLimit.wait<Result<Past, Fault>>(services.log.past(session.id, wantOf(asking, factor)), late)
      : err(fault('store', asking.bare)),
    frozen === undefined && asking.bare === undefined
      ? timeLimit.wait<PinnedElsewhere | undefined>(pinnedElsewhere(services, asking), () => undefined)
      : undefined,
  ])
  const pinned = frozen === undefined ? elsewhere : frozen.pinned
  if (!systemText.ok) return systemText
  const material = {
    session: session.family,
    // A session may have been given to another agent while its turn waited.
    voice: frozen?.voice ?? speaker.key,
    model: frozen?.model ?? {
      name: asking.model.name,
      window: asking.model.window,
      ...(asking.model.facts.output === undefined ? {} : { output: asking.model.facts.output }),
      factor,
      abilities: abilitiesOf(asking.model),
    },
    thinking: isThinking(asking),
    ...samplingIn(asking),
    turn,
    marksThrough,
    voices: frozen?.voices ?? namesIn(services, session),
    system: systemText.value.system,
    tools: frozen?.tools ?? (isInText ? [] : tools),
    asides: systemText.value.asides,
    ...(frozen?.isBare === true ? { isBare: true } : {}),
    ...(listed === undefined ? {} : { listed }),
  }
  const readMs = performance.now() - started
  if (read.ok) {
    const { gaps, begins, through, folds } = read.value
    const last = frozen?.last ?? asking.last ?? read.value.last
    const fresh = freshIn(unsaved, read.value, at)
    const events = [...read.value.events, ...fresh]
    const found = {
      ...{ ...material, events, gaps, ...lastOf(last) },
      ...(pinned === undefined ? {} : { pinned }),
      ...(foldsUnder(asking) && folds.length > 0 ? { folds } : {}),
    }
    const recall =
      frozen === undefined ? await recallFor(services, asking, found, asking.balance ?? read.value.lastBalance) : frozen.recall
    return ok({
      readMs: performance.now() - started,
      material: {
        ...found,
        ...(recall === undefined ? {} : { recall }),
        ...{ through: fresh.at(-1)?.seq ?? through, begins, degraded: null },
      },
    })
  }
  if (read.fault.kind !== 'store' || own.length === 0) return read
  const earlier = standing.messages - own.reduce((sum, event) => sum + (event.type === 'message.received' ? 1 : 0), 0)
  const gaps = turn.cause <= 1 ? [] : [{ from: 1, to: turn.cause - 1, messages: earlier }]
  const through = own.at(-1)?.seq ?? turn.cause
  const degraded = { reason: read.fault.message }
  return ok({ readMs, material: { ...material, events: own, through, gaps, begins: null, ...lastOf(frozen?.last), degraded } })
}

/** Whether summaries are used; the house has no past of its own. */
const foldsUnder = ({ policy, frozen, speaker }: ContextRequest): boolean =>
  policy.fold !== null && policy.fold !== undefined && !isHouseVoice(frozen?.voice ?? speaker.key)

/** What people pinned in other chats. Trouble with that costs the request these pins and nothing else. */
async function pinnedElsewhere(services: Services, { session, speaker }: ContextRequest): Promise<PinnedElsewhere | undefined> {
  if (isHouseVoice(speaker.key)) return undefined
  const found = await pinnedFor(services.log, session.id, chat => namesIn(services, chat))
  return found.ok ? found.value : undefined
}

/** A dry run has time to wait for the index. */
const DRY_RUN_MS = 3000
/** The part of the time that a look-up may take, the events that are indexed for it included. */
const RECALL_SHARE = 0.7

/** Looks up what matters for the new message. Trouble with that costs the request its quotes and nothing else. */
async function recallFor(
  services: Services,
  asking: ContextRequest,
  material: Pick<Material, 'events' | 'gaps' | 'turn' | 'voice' | 'voices' | 'marksThrough' | 'model' | 'thinking'>,
  lastBalance: number | null,
): Promise<RecallMaterial | undefined> {
  const { recall, log, limits } = services
  const { policy, session, timeLimit } = asking
  const setting = policy.recall
  if (recall === undefined || setting === undefined || setting === null || isHouseVoice(material.voice)) return undefined
  const spent = { session: session.id, ...(lastBalance === null ? {} : { balance: lastBalance }), events: [] }
  const query = queryFor(material, policy)
  const settled = settlePolicy(policy, material)
  const bounds = boundsOf(settled, material.model.window)
  const ms = timeLimit === undefined ? DRY_RUN_MS : limits.historyMs
  const late = (): Result<never, Fault> => err(fault('timeout', `nothing was recalled within ${ms} ms`))
  const within = timeLimit ?? createTimeLimit(ms)
  const from = wider(setting.from, await within.wait(placeOf(services, session), NOWHERE_ELSE))
  const others = from === 'session' ? ok([]) : await within.wait(sourcesFor(log, session, from), late)
  if (!others.ok) return { ...spent, failed: others.fault.message }
  // What other chats have is hidden from the first message on.
  const isHiding = others.value.length > 0 || mayHide(material, settled.window.grows === null ? 0 : bounds.low)
  if (query === undefined || !isHiding) return spent
  const sources = others.value.length === 0 ? {} : { sources: others.value }
  const found = await within.wait(recall.look(session.id, { ...query, ...sources }, ms * RECALL_SHARE), late)
  if (!found.ok) return { ...spent, failed: found.fault.message }
  const most = setting.tokens === 'auto' ? bounds.limit : Math.min(setting.tokens, bounds.limit)
  const texts = await within.wait(
    readCandidates(log, session.id, found.value, material.events, most / material.model.factor),
    late,
  )
  if (!texts.ok) return { ...spent, failed: texts.fault.message }
  const chats = found.value.elsewhere?.chats ?? 0
  return { ...spent, found: found.value, ...texts.value, ...(chats === 0 ? {} : { from: { from, chats } }) }
}

const NOWHERE_ELSE = (): RecallFrom => 'session'

/** A switch that cannot be read is off. */
const placeOf = ({ recallFrom }: Services, { project }: Session): Promise<RecallFrom> => recallFrom(project).catch(NOWHERE_ELSE)

/** Whether the request may leave out something that was said: a past of fewer tokens than a drop leaves is sent whole. */
function mayHide({ events, gaps, turn, model }: Pick<Material, 'events' | 'gaps' | 'turn' | 'model'>, low: number): boolean {
  if (gaps.length > 0) return true
  const past = events.reduce((sum, { seq, tokens }) => sum + (seq < turn.cause ? tokens : 0), 0)
  return past * model.factor > low
}

const lastOf = (last: WindowState | null | undefined): Pick<Material, 'last'> =>
  last === null || last === undefined ? {} : { last }

/** Events of this turn that the read did not find in the log. What was saved meanwhile was read already; the rest gets the seqs after it. */
export function freshIn(unsaved: ContextRequest['unsaved'], { landed, through }: Past, at: number | undefined): readonly Event[] {
  return unsaved
    .filter(({ id, event }) => (id === undefined ? event.seq > through : !landed.includes(id)))
    .map(({ id, event }, index) => (id === undefined || at !== undefined ? event : { ...event, seq: through + 1 + index }))
}

const isThinking = ({ frozen, thinking }: ContextRequest): boolean => frozen?.thinking ?? thinking

function samplingIn({ frozen, sampling: asked }: ContextRequest): Pick<Material, 'sampling'> {
  const sampling = frozen === undefined ? asked : frozen.sampling
  return sampling === undefined ? {} : { sampling }
}

const abilitiesOf = ({ facts: { images, files, cacheMinimum = 0, thinkingWithTools, keepsOnePrefix } }: Model): Abilities => ({
  images,
  files,
  cacheMinimum,
  ...(thinkingWithTools === undefined ? {} : { thinkingWithTools }),
  ...(keepsOnePrefix === undefined ? {} : { keepsOnePrefix }),
})

/** The part of the time that a factor may take. */
const FACTOR_SHARE = 0.2

/** What the house is asked about comes from the log, under the same time limit. Without it there is nothing to ask. */
const systemTextInTime = (
  timeLimit: TimeLimit | undefined,
  { key }: Speaker,
  late: () => Result<SystemText, Fault>,
  systemText: () => Promise<Result<SystemText, Fault>>,
): Promise<Result<SystemText, Fault>> =>
  timeLimit === undefined || !isHouseVoice(key) ? systemText() : timeLimit.wait(systemText(), late)

/** Which part of the past to read: what the policy's window asks for, and what every request needs. */
function wantOf(asking: ContextRequest, factor: number): PastQuery {
  const { policy, model, turn, speaker, standing, unsaved, at, last, frozen, marksThrough } = asking
  const settled = settlePolicy(policy, {
    model: { ...model.facts, ...model, factor },
    thinking: isThinking(asking),
    ...samplingIn(asking),
  })
  const bounds = boundsOf(settled, model.window)
  const voice = frozen?.voice ?? speaker.key
  const inTokens = (tokens: number, room: number): number => Math.ceil((tokens / factor) * room) + 500
  // With room to spare, since what is blank or failed fills no window.
  const enough = (tokens: number): number => inTokens(tokens, 1.5)
  // Measured by what the voice hears and says: what others say must not take its memory from it.
  const isOwn = policy.view === 'own'
  const own = isOwn ? { own: { voice, whole: enough(bounds.high) } } : {}
  const before = frozen?.last ?? last
  const marks = unsaved.flatMap(({ event }) => (event.type === 'message.marked' ? [event] : []))
  const ids = unsaved.flatMap(({ id }) => id ?? [])
  const bounded = {
    ...(at === undefined ? {} : { through: at }),
    ...own,
    ...(marks.length === 0 ? {} : { marks }),
    ...(ids.length === 0 ? {} : { ids }),
    ...{ voice, stamps: policy.stamps, marksThrough },
    ...(foldsUnder(asking) ? { folds: before === undefined ? (true as const) : { shown: before.folds ?? [] } } : {}),
    ...(frozen === undefined && last === undefined
      ? { request: { voice, policy: policyLabel(policy), before: turn.cause } }
      : {}),
  }
  if (frozen?.isBare === true) return { ...bounded, from: { seq: turn.cause } }
  // What cannot be read whole is cut to `low`: reading more would only be to leave it out again. How much there was at an
  // earlier seq is not known.
  const isBeyond = (tokens: number): boolean => isOwn || (at === undefined && standing.tokens > enough(tokens))
  const part = settled.window.read({
    voice,
    policy: policyLabel(policy),
    cause: turn.cause,
    tokens: standing.tokens,
    turnBegan: frozen?.last.begins,
    began: last?.begins ?? undefined,
    bounds,
    enough,
    enoughOrLow: tokens => (isBeyond(tokens) ? inTokens(bounds.low, 1.2) : enough(tokens)),
  })
  return { ...bounded, ...part }
}

/** The inputs of a request that are not in its log, and the texts to keep for them. */
export function inputsOf(material: Material, policy: Policy, wire: string): { inputs: ReceiptInputs; texts: KeptText[] } {
  const texts: KeptText[] = []
  const keep = (text: string): string => {
    const kept = { hash: hash(text), text }
    texts.push(kept)
    return kept.hash
  }
  const to = audienceOf(material.events, material.turn.cause)
  const inputs: ReceiptInputs = {
    turn: material.turn.id,
    cause: material.turn.cause,
    ...(to === undefined ? {} : { to }),
    ordinal: material.turn.ordinal,
    wire,
    assembly: CURRENT_RULES.version,
    window: material.model.window,
    ...(material.model.output === undefined ? {} : { output: material.model.output }),
    thinking: material.thinking,
    ...(material.sampling === undefined ? {} : { sampling: material.sampling.given }),
    ...(material.model.abilities === undefined ? {} : { abilities: material.model.abilities }),
    policy: keep(canonical(policy)),
    system: material.system.map(({ source, reason, text }) => ({ source, reason, hash: keep(text) })),
    // Not canonical: the order of a tool's keys is part of what was sent.
    tools: keep(JSON.stringify(material.tools)),
    ...(material.listed === undefined
      ? {}
      : {
          listed: {
            text: keep(material.listed.text),
            tools: keep(JSON.stringify(material.listed.tools)),
            ...(material.listed.isAuto === true ? { isAuto: true } : {}),
          },
        }),
    asides: material.asides.map(({ kind, reason, text, required }) => ({
      kind,
      reason,
      hash: keep(text),
      ...(required === undefined ? {} : { required }),
    })),
    voices: keep(canonical(material.voices)),
    begins: material.begins,
    marksThrough: material.marksThrough,
    ...lastOf(material.last),
    ...recallInputs(material, policy),
    ...(material.isBare === true ? { isBare: true } : {}),
    gaps: material.gaps,
  }
  return { inputs, texts }
}

/** What was looked up, by which rules, and what recall had to spend: at the first step of a turn. */
function recallInputs({ recall, turn }: Material, policy: Policy): Pick<ReceiptInputs, 'recall'> {
  const setting = policy.recall
  if (recall === undefined || setting === undefined || setting === null || turn.step > 1) return {}
  const { found, balance, failed, from } = recall
  if (found === undefined && balance === undefined && failed === undefined) return {}
  return {
    recall: {
      ...{ rules: RECALL_RULES, budget: setting.tokens },
      ...(found === undefined
        ? {}
        : { found: { indexedThrough: found.indexedThrough, vectors: found.vectors, terms: found.terms } }),
      ...(from === undefined ? {} : { from }),
      ...(balance === undefined ? {} : { balance }),
      ...(failed === undefined ? {} : { failed }),
    },
  }
}
