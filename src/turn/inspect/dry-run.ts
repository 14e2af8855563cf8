/** Builds the request that a turn would send, without sending or storing anything. */
import { withoutMemory } from '../../context/presets.ts'
import { weigh } from '../../context/text/tokens.ts'
import type { EventLog, Planned, Standing, VoiceCounts } from '../../log/ports.ts'
import type { Attachment, Event, Fact, Mark } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { Material, OutlineItem } from '../../model/plan.ts'
import type { WindowState } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { MessageSettings } from '../../model/sampling.ts'
import type { Session } from '../../model/session.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import { attach, type InboundPart } from '../admission/attach.ts'
import { messageSettings, refusedBy } from '../admission/reply-settings.ts'
import { agentNamed, councilOf, learnedChoice, levelsOf, type Speaker, speakerOf } from '../admission/speaker.ts'
import { likelyCost } from '../cost/likely-cost.ts'
import { named } from '../council/round-members.ts'
import { equipmentFor } from '../schedule/running-turns.ts'
import type { Model, Services } from '../services.ts'
import type { Frozen } from '../step/gather.ts'
import { type Prepared, prepare } from '../step/prepare-request.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import { requestBefore } from './neighbours.ts'
import { rebuild } from './rebuild.ts'
import { type Detail, itemsIn, requestOf, type SentContext } from './sent-context.ts'

/** With what it would cost; null where the model has no price. */
export type WouldSend = SentContext & {
  readonly cost: { readonly leastUsd: number; readonly mostUsd: number } | null
  readonly evidence?: readonly Evidence[]
}

/** What a request would look like if things were a little different; nothing is stored. */
export type DryRun = Detail &
  MessageSettings & {
    readonly text?: string
    /** Files that would be said with the text: new ones, and ones that the log keeps already. */
    readonly parts?: readonly InboundPart[]
    readonly attachments?: readonly Attachment[]
    /** Another agent, or one advisor of the council. Without either, the voice that would answer first. */
    readonly agent?: string
    readonly advisor?: string
    /** The same, by the id of the voice. */
    readonly voice?: VoiceId
    /** The name of a policy, or one that no setting has. */
    readonly policy?: string | Policy
    readonly model?: string
    /** The most tokens it may have, in place of the policy's budget. The model's window stays the upper limit. */
    readonly budget?: number
    /** As if the policy had no memory: no recall, no folds, and a window that does not follow. */
    readonly memory?: false
    /** As if nothing had been said after this seq; without a text, a message there is what would be answered. */
    readonly at?: number
    /** What the request of the voice's previous turn showed, for a caller that plans several turns in a row. */
    readonly last?: WindowState
    /** What recall could spend after that request, where it counted. */
    readonly balance?: number
    /** Seqs of messages: says of each whether it is in the request, and why not. */
    readonly evidence?: readonly number[]
    readonly marks?: readonly { readonly seq: number; readonly mark: Mark | null }[]
  }

type Received = Extract<Event, { type: 'message.received' }>
type Counts = Standing['voices'][VoiceId]
const NEVER_SPOKE: Counts = { turns: 0, answers: 0 }

/** How many requests are kept to compare with. */
const MOST_KEPT = 200

/** A later request of a turn: what its first one was built from, and the last seq that it sees. */
export type LaterStep = {
  readonly turn: Material['turn']
  readonly frozen: Frozen
  readonly through: number
  readonly marksThrough: number
}

/** Builds a request as a turn would, without an account of what it means. */
export type Planner = (id: SessionId, dryRun: DryRun, options?: PlannerOptions) => Promise<Result<Prepared, Fault>>

export type PlannerOptions = {
  /** Another step than the first one of a turn. */
  readonly later?: LaterStep
  /** Finds the request before it, to compare with. Without it nothing is compared. */
  readonly outlineOf?: (id: SessionId, last: Planned | undefined) => Promise<readonly OutlineItem[] | undefined>
  /** What would be different in what the request is built from. */
  readonly imagine?: (material: Material) => Material
}

/** Plans requests, as turns would; nothing is stored. */
export function createPlanner(services: Services): Planner {
  const { log } = services

  const speakerFor = (session: Session, { agent, advisor, voice: meant }: DryRun): Result<Speaker, Fault> => {
    if (meant !== undefined) return speakerOf(services, session, meant)
    if (session.council === null && advisor === undefined)
      return agent === undefined ? speakerOf(services, session, '') : agentNamed(services, agent)
    if (session.council === null) return err(fault('invalid', 'advisor: this session has no council'))
    if (agent !== undefined) return err(fault('invalid', 'agent: this session has a council; name one of its advisors'))
    const council = councilOf(services, session)
    if (!council.ok) return council
    const voices =
      advisor === undefined
        ? ok(council.value.advisors.filter(({ active }) => active).map(({ id }) => id))
        : named(council.value, [advisor], 'advisor')
    if (!voices.ok) return voices
    const [voice] = voices.value
    return voice === undefined
      ? err(fault('invalid', 'advisor: every advisor is hidden; name one'))
      : speakerOf(services, session, voice)
  }

  /** The message at a seq, if there is one that the voice hears. */
  const messageFor = async (id: SessionId, seq: number, voice: VoiceId): Promise<Result<Received | undefined, Fault>> => {
    const read = await log.read(id, { after: seq - 1, through: seq })
    if (!read.ok) return read
    const [event] = read.value
    if (event?.type !== 'message.received') return ok(undefined)
    return event.to?.includes(voice) === false
      ? err(fault('invalid', `at: the message at ${seq} is not for "${voice}"`))
      : ok(event)
  }

  return async (id, dryRun, { later, outlineOf = async () => undefined, imagine } = {}) => {
    const began = performance.now()
    const [session, standing] = await Promise.all([log.session(id), log.standing(id)])
    if (!session.ok) return session
    if (!standing.ok) return standing
    const { text } = dryRun
    const at = later?.through ?? dryRun.at
    const attached = attach(dryRun.parts ?? [])
    if (!attached.ok) return attached
    services.files.keep(attached.value.texts)
    const parts = [...(dryRun.attachments ?? []), ...attached.value.attachments]
    if (text === undefined && standing.value.messages === 0) {
      return err(fault('invalid', 'text: the session is empty, so give the text that would be said'))
    }
    const speaker = speakerFor(session.value, dryRun)
    if (!speaker.ok) return speaker
    const { key: voice } = speaker.value
    const head = Math.min(at ?? standing.value.head, standing.value.head)
    const caused = at === undefined || text !== undefined ? ok(undefined) : await messageFor(id, head, voice)
    if (!caused.ok) return caused
    const settings = { ...messageSettings(caused.value ?? {}), ...messageSettings(dryRun) }
    const choice = await learnedChoice(services, session.value, speaker.value, { ...dryRun, ...settings })
    if (!choice.ok) return choice
    const levels = levelsOf(session.value, speaker.value, settings)
    // A quote asks by voice: what suits one advisor of a council is left out for another.
    const refused =
      dryRun.voice === undefined ? refusedBy([{ model: choice.value.model, levels }], messageSettings(dryRun)) : undefined
    if (refused !== undefined) return err(refused)
    const now = standing.value.voices[voice] ?? NEVER_SPOKE
    const then = at === undefined ? undefined : await asOf(log, id, voice, head)
    if (then?.ok === false) return then
    const { turns, answers } = then?.value ?? now
    const last = then === undefined ? await requestBefore(log, id, voice, head + 1) : ok(then.value.last)
    if (!last.ok) return last
    const moment = new Date(services.clock()).toISOString()
    const marks = (dryRun.marks ?? []).map(({ seq, mark }, index) =>
      imagined(id, head + index + 1, { type: 'message.marked', target: seq, mark }, moment),
    )
    const cause = caused.value !== undefined ? head : head + marks.length + 1
    const turn = later?.turn ?? { id: 'trn_dryrun' as TurnId, step: 1, cause, ordinal: turns + 1 }
    const [equipment, before] = await Promise.all([equipmentFor(services, speaker.value), outlineOf(id, last.value)])
    return prepare(
      services,
      {
        session: session.value,
        speaker: speaker.value,
        answers,
        ...within(choice.value, dryRun),
        turn,
        standing: { ...standing.value, head },
        own: [],
        unsaved: [
          ...marks,
          ...(text === undefined ? [] : [imagined(id, head + marks.length + 1, messageOf(text, parts), moment)]),
        ].map(event => ({ event })),
        marksThrough: later?.marksThrough ?? head + marks.length,
        equipment,
        ...(at === undefined ? {} : { at: head }),
        ...(dryRun.last === undefined ? {} : { last: dryRun.last }),
        ...(dryRun.balance === undefined ? {} : { balance: dryRun.balance }),
        ...(later === undefined ? {} : { frozen: later.frozen }),
      },
      null,
      before,
      performance.now() - began,
      imagine,
    )
  }
}

/** Builds what would be sent, and says what that means; nothing is stored. */
export function createDryRuns(
  services: Services,
  plan: Planner,
): (id: SessionId, dryRun: DryRun) => Promise<Result<WouldSend, Fault>> {
  /** By receipt, which never changes. While a person types, each dry run is compared with the same last request. */
  const outlines = new Map<string, readonly OutlineItem[]>()

  const outlineOf: PlannerOptions['outlineOf'] = async (id, last) => {
    if (last === undefined) return undefined
    const key = `${id} ${last.seq}`
    const known = outlines.get(key)
    if (known !== undefined) return known
    const rebuilt = await rebuild(services, id, last.receipt, last.step)
    if (!rebuilt.ok || rebuilt.value.verdict === 'not-comparable') return undefined
    if (outlines.size >= MOST_KEPT) outlines.clear()
    outlines.set(key, rebuilt.value.outline)
    return rebuilt.value.outline
  }

  return async (id, dryRun) => {
    const prepared = await plan(id, dryRun, { outlineOf })
    if (!prepared.ok) return prepared
    const { receipt, plan: planned } = prepared.value
    const cost = likelyCost(services, receipt)
    if (!cost.ok) return cost
    const evidence = dryRun.evidence === undefined ? undefined : await evidenceIn(services, id, prepared.value, dryRun.evidence)
    if (evidence?.ok === false) return evidence
    const { leastUsd, mostUsd } = cost.value
    return ok({
      receipt,
      request: requestOf(prepared.value, dryRun),
      verified: true,
      outline: planned.outline,
      cost: leastUsd === null || mostUsd === null ? null : { leastUsd, mostUsd },
      ...(evidence === undefined ? {} : { evidence: evidence.value }),
      ...itemsIn(prepared.value, dryRun),
    })
  }
}

/** A requested budget replaces the policy's own, and a policy can be tried without its memory. */
function within<Choice extends { readonly policy: Policy; readonly model: Model }>(choice: Choice, dryRun: DryRun): Choice {
  const { budget, memory } = dryRun
  const policy = memory === false ? withoutMemory(choice.policy) : choice.policy
  return { ...choice, policy: budget === undefined ? policy : { ...policy, budget: { ...policy.budget, tokens: budget } } }
}

const messageOf = (text: string, parts: readonly Attachment[]): Fact => ({
  type: 'message.received',
  text,
  ...(parts.length === 0 ? {} : { parts }),
  from: 'person',
})

const imagined = (session: SessionId, seq: number, fact: Fact, at: string): Event =>
  ({ ...fact, session, seq, at, tokens: weigh(fact).tokens }) as Event

/** What was known of a voice at an earlier seq: how often it had spoken, and what it was last sent by then. Found by index. */
async function asOf(
  log: EventLog,
  id: SessionId,
  voice: VoiceId,
  through: number,
): Promise<Result<VoiceCounts & { readonly last: Planned | undefined }, Fault>> {
  const [counts, last] = await Promise.all([log.voiceAt(id, voice, through), requestBefore(log, id, voice, through + 1)])
  if (!counts.ok) return counts
  return last.ok ? ok({ ...counts.value, last: last.value }) : last
}
