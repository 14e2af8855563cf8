/** Finds which advisors a message calls, and which turns and answers belong to a round. */
import type { EndReason, Recorded, TurnStarted } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { isReply } from '../../model/message/spoken.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Council, isHouseVoice } from '../../model/settings/council.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import { turnsContinuedBy } from '../../model/turn-view/turn-view.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { RoundAnswer } from './synthesis.ts'

/** The advisors that names mean: by id, name or group. Hidden advisors count too, since the names call them. */
export function named({ advisors }: Council, names: readonly string[], field = 'to'): Result<readonly VoiceId[], Fault> {
  const found = names.map(name => advisors.filter(advisor => spellings(advisor).includes(folded(name))))
  const strange = names.find((_, index) => found[index]?.length === 0)
  if (strange !== undefined)
    return err(fault('invalid', `${field}: there is no advisor "${strange}"; known: ${advisors.map(({ id }) => id).join(', ')}`))
  const wanted = new Set(found.flat().map(({ id }) => id))
  return ok(advisors.flatMap(({ id }) => (wanted.has(id) ? [id] : [])))
}

/** The advisors that a text calls by `@name`. An address, a link, code or a name within a word does not call an advisor. */
export function mentioned({ advisors }: Council, text: string): readonly VoiceId[] {
  const names = advisors.flatMap(advisor =>
    [...new Set([...spellings(advisor), ...firstName(advisor, advisors)])].map(name => ({ id: advisor.id, name })),
  )
  const called = new Set<VoiceId>()
  let looked = 0
  for (const { index } of text.matchAll(/(?<![\p{L}\p{N}._/`-])@(?=[\p{L}\p{N}])/gu)) {
    looked += 1
    if (called.size === advisors.length || looked > MOST_MENTIONS) break
    const rest = folded(text.slice(index + 1, index + 1 + LONGEST_NAME))
    const fits = ({ name }: { readonly name: string }): boolean =>
      rest.startsWith(name) && !/^[\p{L}\p{N}_]|^-[\p{L}\p{N}]/u.test(rest.slice(name.length))
    const matches = names.filter(fits)
    const longest = matches.reduce((most, { name }) => Math.max(most, name.length), 0)
    for (const { id, name } of matches) if (name.length === longest) called.add(id)
  }
  return advisors.flatMap(({ id }) => (called.has(id) ? [id] : []))
}

/** A text with more `@` signs than this does not call advisors. */
const MOST_MENTIONS = 200
const LONGEST_NAME = 200

type Named = Council['advisors'][number]

/** The spellings by which a message may call an advisor. */
const spellings = ({ id, name, group }: Named): readonly string[] =>
  [id, name, name.replace(/\s+/g, '-'), name.replace(/\s+/g, ''), ...(group === undefined ? [] : [group])].map(folded)

/** A first name is enough if no other advisor has the same one. */
function firstName({ id, name }: Named, advisors: readonly Named[]): readonly string[] {
  const first = (full: string): string => folded(full.split(/\s+/)[0] ?? '')
  return advisors.some(other => other.id !== id && first(other.name) === first(name)) ? [] : [first(name)]
}

const folded = (text: string): string => text.normalize('NFC').toLocaleLowerCase('en')

type Started = Recorded & TurnStarted

const isStarted = (event: Recorded): event is Started => event.type === 'turn.started'

/** The turns that a message caused, without those of the house; each voice's last one counts. */
export function turnsOf(events: readonly Recorded[], cause: number): readonly Started[] {
  const started = events.filter(isStarted).filter(event => event.cause === cause && !isHouseVoice(event.voice))
  return [...new Map(started.map(event => [event.voice, event])).values()].sort((a, b) => a.seq - b.seq)
}

/** How the turns in a stretch of the log ended, as far as they have. */
export const endsOf = (events: readonly Recorded[]): ReadonlyMap<TurnId, EndReason> =>
  new Map(events.flatMap(event => (event.type === 'turn.ended' ? [[event.turn, event.reason] as const] : [])))

/** Whether a turn ended with an answer. */
export const isAnswer = (reason: EndReason | undefined): boolean => reason === 'done' || reason === 'limit'

/** The answers of a round, in the order in which the voices were asked. A failed turn is not an answer. */
export function answersOf(
  events: readonly Recorded[],
  cause: number,
  names: Readonly<Record<VoiceId, string>>,
  excluded: ReadonlySet<number> = new Set(),
): readonly RoundAnswer[] {
  const ends = endsOf(events)
  return turnsOf(events, cause).flatMap(({ turn, voice, name }) => {
    // Where going on with an answer failed, the answer itself is still there.
    const turns = turnsContinuedBy(events, turn).filter(each => isAnswer(ends.get(each)))
    const replies = events.filter(isReply).filter(event => turns.includes(event.turn))
    const text = spokenText(replies)
    if (replies.some(({ seq }) => excluded.has(seq))) return []
    return text.trim() === '' ? [] : [{ voice, name: names[voice] ?? name ?? voice, text, seq: replies.at(-1)?.seq ?? 0 }]
  })
}
