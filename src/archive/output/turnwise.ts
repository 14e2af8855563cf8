// Writes our own archive.
import type { Fact, Recorded } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'

/** One session to be exported. */
export type ExportedSession = {
  readonly session: Session
  readonly events: () => AsyncIterable<Recorded>
  /** The texts that the session uses, by hash. */
  readonly texts: () => AsyncIterable<{ readonly hash: string; readonly text: string }>
}

/**
 * Writes our own archive: one JSON document with one item on each line, whole sessions one after the other. The same sessions
 * give the same bytes on every machine.
 */
export async function* archivePieces(sessions: AsyncIterable<ExportedSession>): AsyncGenerator<string> {
  yield '{"turnwise":"archive","version":1,"sessions":['
  let isFirst = true
  for await (const { session, events, texts } of sessions) {
    yield `${isFirst ? '' : ','}\n{"session":${JSON.stringify(sessionFields(session))},"events":[`
    isFirst = false
    yield* lines(events(), event => writtenEvent(event.seq, event.at, factOf(event)))
    yield '\n],"texts":['
    yield* lines(texts(), ({ hash, text }) => JSON.stringify({ hash, text }))
    yield '\n]}'
  }
  yield '\n]}\n'
}

async function* lines<Item>(items: AsyncIterable<Item>, written: (item: Item) => string): AsyncGenerator<string> {
  let before = '\n'
  for await (const item of items) {
    yield `${before}${written(item)}`
    before = ',\n'
  }
}

/** The fields of a session in a fixed order, without those that are true only on this machine. */
function sessionFields(session: Session): object {
  const { id, title, preview, agent, council, project, policy, model, archived } = session
  const { createdAt, updatedAt, messages, parent, family, origin, policyChosen, thinking, sampling, maxTokens } = session
  const { private: isPrivate, hadCouncil } = session
  return {
    ...{ id, title, preview, agent, council, project, policy, model, archived, createdAt, updatedAt, messages },
    ...(parent === undefined ? {} : { parent: parentOf(parent) }),
    family,
    ...(origin === undefined ? {} : { origin }),
    ...(policyChosen === undefined ? {} : { policyChosen }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(isPrivate === undefined ? {} : { private: isPrivate }),
    ...(hadCouncil === undefined ? {} : { hadCouncil }),
  }
}

const parentOf = ({ session, at, kept }: NonNullable<Session['parent']>): object => ({
  ...{ session, at },
  ...(kept === undefined ? {} : { kept }),
})

/**
 * A row that can no longer be read becomes a change of nothing. So every other event keeps its seq, and references to events
 * stay right.
 */
export const factOf = (event: Recorded): Fact => {
  if (event.type === 'damaged') return { type: 'session.changed', changes: {} }
  const { session: _, tokens: __, seq: ___, at: ____, ...fact } = event
  return fact
}

/** The line of one event. */
export function writtenEvent(seq: number, at: string, fact: Fact): string {
  const { type, ...rest } = fact
  return JSON.stringify({ seq, at, type, ...rest })
}
