/** Asks a model for advisors that suit a question, in an archived session of its own. */
import { follow } from '../../log/follow.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isReply, type SpokenReply } from '../../model/message/spoken.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { SUGGESTION } from '../../model/settings/council.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import { councilNamed } from '../admission/speaker.ts'
import type { Conductor } from '../conductor.ts'
import type { Services } from '../services.ts'
import { parseSuggestion, type Suggested } from './advisor-suggestion.ts'

/** Advisors for a question, and the session and turn that show what the model was asked. */
export type Suggestion = { readonly advisors: readonly Suggested[]; readonly session: SessionId; readonly turn: TurnId | null }

type SuggestionParts = {
  readonly services: Services
  readonly conductor: Conductor
  readonly open: (wish: {
    readonly title: string
    readonly council: string
    readonly archived: boolean
  }) => Promise<Result<Session, Fault>>
}

const LONGEST_TITLE = 60

/** Asks the configured model in an archived session of its own, so that people can see everything that was sent. */
export async function suggest(
  { services, conductor, open }: SuggestionParts,
  key: string,
  question: string,
): Promise<Result<Suggestion, Fault>> {
  const council = councilNamed(services, key)
  if (!council.ok) return err(fault('not-found', council.fault.message))
  const session = await open({ title: titleOf(question), council: key, archived: true })
  if (!session.ok) return session
  const { id } = session.value
  const said = await conductor.say({ session: id, text: question, from: 'person' }, { voices: [SUGGESTION] })
  if (!said.ok) return said
  const answer = await heard(services, id, said.value.seq)
  const advisors = answer.ok ? parseSuggestion(answer.value) : answer
  return advisors.ok ? ok({ advisors: advisors.value, session: id, turn: said.value.turns[0] ?? null }) : advisors
}

/** The whole answer, once its turn has ended. */
async function heard({ log, feed }: Services, id: SessionId, after: number): Promise<Result<string, Fault>> {
  const abort = new AbortController()
  const replies: SpokenReply[] = []
  try {
    for await (const signal of follow(log, feed, id, after, abort.signal)) {
      if (signal.type === 'fault') return err(signal.fault)
      if (signal.type !== 'event') continue
      const { event } = signal
      if (isReply(event)) replies.push(event)
      if (event.type !== 'turn.ended') continue
      if (event.reason === 'done') return ok(spokenText(replies))
      return err(event.fault ?? fault('cancelled', 'the suggestion was stopped'))
    }
  } finally {
    abort.abort()
  }
  return err(fault('cancelled', 'the suggestion was stopped'))
}

const titleOf = (question: string): string => {
  const words = [...question.replace(/\s+/g, ' ').trim()]
  return `Advisors for: ${words.slice(0, LONGEST_TITLE).join('')}${words.length > LONGEST_TITLE ? '…' : ''}`
}
