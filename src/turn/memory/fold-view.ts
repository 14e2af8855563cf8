/** Whose view of a conversation is folded, and the messages of a stretch as that voice sees them. */
import { type FoldMessage, foldMessages } from '../../context/fold/fold-messages.ts'
import { project } from '../../context/stages/project.ts'
import { sanitize } from '../../context/stages/sanitize.ts'
import { unitSeq, unitsOf } from '../../context/window/units.ts'
import type { Unit } from '../../context/window/window-kind.ts'
import type { EventLog } from '../../log/ports.ts'
import type { Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { FoldRange, FoldSetting } from '../../model/fold.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { Material } from '../../model/plan.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import { agentOf, councilOf, learnedChoice, speakerOf, type TurnChoice } from '../admission/speaker.ts'
import { namesIn } from '../equipment/system-text.ts'
import type { Services } from '../services.ts'
import { type Breathe, letOthersGo } from './breathe.ts'

/** A voice whose policy folds: what it runs under, and the name that its folds bear. */
export type FoldView = {
  readonly voice: VoiceId
  /** The voice that alone is sent these folds; undefined where all voices see the same. */
  readonly of: VoiceId | undefined
  readonly choice: TurnChoice
  readonly setting: FoldSetting
}

/** The voices that answer in a session. */
export function voicesIn(services: Services, session: Session): readonly VoiceId[] {
  if (session.council === null) return [agentOf(services, session).key]
  const council = councilOf(services, session)
  return council.ok ? council.value.advisors.map(({ id }) => id) : []
}

/** How a voice folds; undefined if its policy does not, or if there is no such voice any more. */
export async function foldViewOf(services: Services, session: Session, voice: VoiceId): Promise<FoldView | undefined> {
  const speaker = speakerOf(services, session, voice)
  if (!speaker.ok) return undefined
  const choice = await learnedChoice(services, session, speaker.value)
  if (!choice.ok) return undefined
  const { fold, view, render } = choice.value.policy
  if (fold === undefined || fold === null || render === 'transcript') return undefined
  const { key } = speaker.value
  return { voice: key, of: view === 'own' ? key : undefined, choice: choice.value, setting: fold }
}

/** Whose messages a fold is made from: all, or one voice's own and what it heard. */
export type Eye = { readonly voice: VoiceId; readonly view: Policy['view'] }

/** The view that a fold is made from. */
export const eyeOf = (services: Services, session: Session, { voice }: Pick<FoldRange, 'voice'>): Eye =>
  voice === undefined ? { voice: voicesIn(services, session)[0] ?? '', view: 'all' } : { voice, view: 'own' }

/** So many events are read at once: others go first in between. */
const PAGE = 100
const PAGE_SIZE = 1 << 18

/** The messages of a conversation from a seq on, as a person counts them; what is excluded, failed or not heard is none of them. */
export async function unitsSince(
  { log, measure }: Services,
  session: Session,
  { voice, view }: Eye,
  from: number,
  breathe: Breathe = letOthersGo,
): Promise<Result<readonly Unit[], Fault>> {
  const [events, marks] = await Promise.all([
    conversation(log, session.id, from, breathe),
    log.read(session.id, { only: 'message.marked' }),
  ])
  if (!events.ok) return events
  if (!marks.ok) return marks
  const end = Math.max(events.value.at(-1)?.seq ?? 0, marks.value.at(-1)?.seq ?? 0)
  const material: Material = {
    ...{ session: session.family, voice, model: UNKNOWN_MODEL, thinking: false },
    turn: { id: '' as TurnId, step: 1, cause: end + 1, ordinal: 1 },
    ...{ through: end, events: [...events.value, ...marks.value].sort((a, b) => a.seq - b.seq), gaps: [], begins: null },
    ...{ marksThrough: end, voices: {}, system: [], tools: [], asides: [], degraded: null },
  }
  const { beats } = sanitize(project(material, { view, thinking: 'never', stamps: false }, measure))
  return ok(unitsOf(beats.filter(({ kind }) => kind !== 'summary')).filter(unit => unitSeq(unit) >= from))
}

/** Only what was said matters, and no model is asked. */
const UNKNOWN_MODEL: Material['model'] = {
  name: '',
  window: 0,
  factor: 1,
  abilities: { images: true, files: true, cacheMinimum: 0 },
}

async function conversation(
  log: Pick<EventLog, 'read'>,
  id: SessionId,
  from: number,
  breathe: Breathe,
): Promise<Result<readonly Recorded[], Fault>> {
  const events: Recorded[] = []
  for (let after = from - 1; ; ) {
    const page = await log.read(id, { only: 'conversation', after, limit: PAGE, size: PAGE_SIZE })
    if (!page.ok) return page
    const last = page.value.at(-1)
    if (last === undefined) return ok(events)
    events.push(...page.value)
    after = last.seq
    await breathe()
  }
}

/** The messages of a stretch, and those that were said after it. */
export type FoldStretch = {
  readonly stretch: readonly FoldMessage[]
  readonly later: readonly FoldMessage[]
  /** The tokens of the stretch, as we count. */
  readonly tokens: number
}

/** Reads the original words of a stretch, and what came after it. */
export async function readStretch(
  services: Services,
  session: Session,
  range: Pick<FoldRange, 'from' | 'to' | 'voice'>,
  breathe?: Breathe,
): Promise<Result<FoldStretch, Fault>> {
  const units = await unitsSince(services, session, eyeOf(services, session, range), range.from, breathe)
  if (!units.ok) return units
  const stretch = units.value.filter(unit => unitSeq(unit) <= range.to)
  const names = { voices: namesIn(services, session) }
  return ok({
    stretch: foldMessages(stretch, names),
    later: foldMessages(units.value.slice(stretch.length), names),
    tokens: stretch.flatMap(({ beats }) => beats).reduce((sum, beat) => sum + beat.tokens, 0),
  })
}
