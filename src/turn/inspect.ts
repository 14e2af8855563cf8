import { weigh } from '../context/tokens.ts'
import type { Planned, Standing } from '../log/log.ts'
import type { Attachment, Event, Fact, Mark, Recorded } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { SessionId, TurnId } from '../model/ids.ts'
import type { OutlineItem } from '../model/plan.ts'
import type { Receipt } from '../model/receipt.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { Session } from '../model/session.ts'
import type { VoiceId } from '../model/voice.ts'
import { attach, type InboundPart } from './attach.ts'
import { agentNamed, choiceOf, councilOf, type Speaker, speakerOf } from './choose.ts'
import { shownBody } from './files.ts'
import { createOutlines } from './outlines.ts'
import { prepare } from './plan.ts'
import { type Built, rebuild } from './rebuild.ts'
import type { Rooms } from './rooms.ts'
import { endsOf, named } from './round.ts'
import { kitFor } from './stage.ts'
import { truncationOf } from './truncation.ts'

/** A request with its receipt; `verified` says whether the log still gives the digest that was recorded. */
export type SentContext = {
  readonly receipt: Receipt
  readonly request: { readonly url: string; readonly body: unknown } | null
  readonly verified: boolean | null
  readonly difference?: string
  /** Item by item, for whoever compares. */
  readonly outline: readonly OutlineItem[]
}

/** What a request would look like if things were a little different; nothing is stored. */
export type DryRun = Whole & {
  readonly text?: string
  /** Files that would be said with the text: new ones, and ones that the log keeps already. */
  readonly parts?: readonly InboundPart[]
  readonly attachments?: readonly Attachment[]
  /** Another agent, or one advisor of the council; else whoever would answer first. */
  readonly agent?: string
  readonly advisor?: string
  /** The same, by the very voice. */
  readonly voice?: VoiceId
  readonly policy?: string
  readonly model?: string
  readonly at?: number
  readonly marks?: readonly { readonly seq: number; readonly mark: Mark | null }[]
}

/** With the bytes of every file in it; without, a body says only how many there are. */
export type Whole = { readonly whole?: boolean }

/** The verdict on one recorded request. */
export type Verification = {
  readonly turn: TurnId
  readonly step: number
  readonly verdict: 'identical' | 'different' | 'not-comparable'
  readonly detail?: string
}

/** Looks at what was sent and at what would be; changes nothing. */
export type Inspector = {
  readonly asSent: (id: SessionId, turn: TurnId, step?: number, options?: Whole) => Promise<Result<SentContext, Fault>>
  readonly wouldSend: (id: SessionId, dryRun: DryRun) => Promise<Result<SentContext, Fault>>
  readonly verify: (id: SessionId) => AsyncIterable<Verification>
}

const PAGE = 200

type Counts = Standing['voices'][VoiceId]
const NEVER_SPOKE: Counts = { turns: 0, answers: 0 }

export function createInspector(rooms: Rooms): Inspector {
  const { log } = rooms
  const outlines = createOutlines(rooms)
  /** How often a voice had spoken by then, and answered to the end. */
  const countsThrough = async (id: SessionId, voice: VoiceId, through: number): Promise<Result<Counts, Fault>> => {
    const started = await log.read(id, { only: 'turn.started', through })
    if (!started.ok) return started
    const own = started.value.flatMap(event => (event.type === 'turn.started' && event.voice === voice ? [event.turn] : []))
    let answers = 0
    for (const turn of own) {
      const events = await log.read(id, { turn, through })
      if (!events.ok) return events
      if (endsOf(events.value).get(turn) === 'done') answers += 1
    }
    return ok({ turns: own.length, answers })
  }

  const speakerFor = (session: Session, { agent, advisor, voice: meant }: DryRun): Result<Speaker, Fault> => {
    if (meant !== undefined) return speakerOf(rooms, session, meant)
    if (session.council === null && advisor === undefined)
      return agent === undefined ? speakerOf(rooms, session, '') : agentNamed(rooms, agent)
    if (session.council === null) return err(fault('invalid', 'advisor: this session has no council'))
    if (agent !== undefined) return err(fault('invalid', 'agent: this session has a council; name one of its advisors'))
    const council = councilOf(rooms, session)
    if (!council.ok) return council
    const voices =
      advisor === undefined
        ? ok(council.value.advisors.filter(({ active }) => active).map(({ id }) => id))
        : named(council.value, [advisor], 'advisor')
    if (!voices.ok) return voices
    const [voice] = voices.value
    return voice === undefined
      ? err(fault('invalid', 'advisor: every advisor is hidden; name one'))
      : speakerOf(rooms, session, voice)
  }
  return {
    asSent: async (id, turn, step, options = {}) => {
      const events = await log.read(id, { turn })
      if (!events.ok) return events
      const planned = events.value.findLast(
        (event): event is Planned => event.type === 'context.planned' && (step === undefined || event.step === step),
      )
      if (planned === undefined) return err(fault('not-found', 'there is no request of that turn and step'))
      const rebuilt = await rebuild(rooms, id, planned.receipt, planned.step)
      if (!rebuilt.ok) return rebuilt
      const reply = events.value.find(
        event => (event.type === 'reply.finished' || event.type === 'reply.broken') && event.step === planned.step,
      )
      const receipt = withReport(planned.receipt, reply)
      const outcome = rebuilt.value
      if (outcome.verdict === 'not-comparable')
        return ok({ receipt, request: null, verified: null, difference: outcome.why, outline: [] })
      const request = outcome.built === undefined ? null : requestOf(outcome.built, options)
      if (outcome.verdict === 'identical') return ok({ receipt, request, verified: true, outline: outcome.outline })
      return ok({ receipt, request, verified: false, difference: outcome.difference, outline: outcome.outline })
    },

    wouldSend: async (id, dryRun) => {
      const [session, standing] = await Promise.all([log.session(id), log.standing(id)])
      if (!session.ok) return session
      if (!standing.ok) return standing
      const { text, at } = dryRun
      const attached = attach(dryRun.parts ?? [])
      if (!attached.ok) return attached
      rooms.files.keep(attached.value.texts)
      const parts = [...(dryRun.attachments ?? []), ...attached.value.attachments]
      if (text === undefined && standing.value.messages === 0) {
        return err(fault('invalid', 'text: the session is empty, so give the text that would be said'))
      }
      const speaker = speakerFor(session.value, dryRun)
      if (!speaker.ok) return speaker
      const { key: voice } = speaker.value
      const choice = choiceOf(rooms, session.value, speaker.value, dryRun)
      if (!choice.ok) return choice
      const head = Math.min(at ?? standing.value.head, standing.value.head)
      const counts = at === undefined ? ok(standing.value.voices[voice] ?? NEVER_SPOKE) : await countsThrough(id, voice, head)
      if (!counts.ok) return counts
      const now = new Date(rooms.clock()).toISOString()
      const marks = (dryRun.marks ?? []).map(({ seq, mark }, index) =>
        imagined(id, head + index + 1, { type: 'message.marked', target: seq, mark }, now),
      )
      const prepared = await prepare(
        rooms,
        {
          session: session.value,
          speaker: speaker.value,
          answers: counts.value.answers,
          ...choice.value,
          turn: { id: 'trn_dryrun' as TurnId, step: 1, cause: head + marks.length + 1, ordinal: counts.value.turns + 1 },
          standing: { ...standing.value, head },
          own: [],
          unsaved: [
            ...marks,
            ...(text === undefined ? [] : [imagined(id, head + marks.length + 1, messageOf(text, parts), now)]),
          ],
          marksThrough: head + marks.length,
          kit: await kitFor(rooms, speaker.value),
          ...(at === undefined ? {} : { at: head }),
        },
        null,
        // As of an earlier seq there is no last request to compare with.
        at === undefined ? await outlines.before(id, voice) : undefined,
      )
      if (!prepared.ok) return prepared
      const { receipt, plan } = prepared.value
      return ok({ receipt, request: requestOf(prepared.value, dryRun), verified: true, outline: plan.outline })
    },

    async *verify(id) {
      for (let after = 0; ; ) {
        const page = await log.read(id, { only: 'context.planned', after, limit: PAGE })
        if (!page.ok) throw new Error(page.fault.message)
        for (const event of page.value) {
          after = event.seq
          if (event.type !== 'context.planned') continue
          const rebuilt = await rebuild(rooms, id, event.receipt, event.step)
          const { turn, step } = event
          if (!rebuilt.ok) yield { turn, step, verdict: 'different', detail: rebuilt.fault.message }
          else if (rebuilt.value.verdict === 'identical') yield { turn, step, verdict: 'identical' }
          else if (rebuilt.value.verdict === 'different')
            yield { turn, step, verdict: 'different', detail: rebuilt.value.difference }
          else yield { turn, step, verdict: 'not-comparable', detail: rebuilt.value.why }
        }
        if (page.value.length < PAGE) return
      }
    },
  }
}

const messageOf = (text: string, parts: readonly Attachment[]): Fact => ({
  type: 'message.received',
  text,
  ...(parts.length === 0 ? {} : { parts }),
  from: 'person',
})

function requestOf({ encoded, plan, files }: Built, { whole = false }: Whole): NonNullable<SentContext['request']> {
  const { url, body } = encoded
  return { url, body: whole ? (JSON.parse(body) as unknown) : shownBody(body, plan, files) }
}

const imagined = (session: SessionId, seq: number, fact: Fact, at: string): Event =>
  ({ ...fact, session, seq, at, tokens: weigh(fact).tokens }) as Event

function withReport(receipt: Receipt, reply: Recorded | undefined): Receipt {
  const usage = reply !== undefined && 'usage' in reply ? reply.usage : undefined
  if (usage === undefined) return receipt
  const reported = usage.input + usage.cacheRead + usage.cacheWrite
  const truncated = truncationOf(receipt, usage)
  return {
    ...receipt,
    tokens: { ...receipt.tokens, reported, cached: usage.cacheRead },
    ...(truncated === undefined ? {} : { truncated }),
  }
}
