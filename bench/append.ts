// How long appending and reading take, in a session of a thousand messages and in one of a million, in one file.
import { weigh } from '../src/context/text/tokens.ts'
import { sqliteLog } from '../src/log/sqlite/sqlite-log.ts'
import type { Fact } from '../src/model/event.ts'
import type { SessionId } from '../src/model/ids.ts'
import { createRecall } from '../src/turn/recall/recall.ts'
import { copyOf, fixture, newSession, type Sized } from './fixture.ts'
import { type Case, measure, report, scaleOf, sure, timed } from './measure.ts'
import { VECTORS_FILE } from './recall-fixture.ts'

const SESSIONS_AT_ONCE = 50
const LAST = 20

const scale = scaleOf(process.argv)
const together = { atOnce: SESSIONS_AT_ONCE, goes: scale.goes * 10 }
using database = copyOf(fixture(scale.small, scale.large))
const log = sure(await sqliteLog({ file: database.file, clock: Date.now, weigh }))

const message: Fact = {
  type: 'message.received',
  text: 'How long does it take to write this down, and is it safe then?',
  from: 'person',
}
const append = async (session: SessionId): Promise<number> => timed(async () => sure(await log.append(session, [message])))

const reading = async ({ session, messages }: Sized): Promise<Case> => {
  const { head } = sure(await log.standing(session))
  return {
    messages,
    once: async () => ({
      'where it stands': await timed(async () => sure(await log.standing(session))),
      [`last ${LAST} messages`]: await timed(async () =>
        sure(await log.past(session, { from: { messages: LAST, before: head + 1 } })),
      ),
      [`last ${LAST} events after a cursor`]: await timed(async () => sure(await log.read(session, { after: head - LAST }))),
    }),
  }
}

const ONE = 'append, one writer'
const CROWD = `append, ${SESSIONS_AT_ONCE} at once to one session`
const SPREAD = `append, ${SESSIONS_AT_ONCE} sessions at once`

const appending = ({ session, messages }: Sized): readonly Case[] => [
  { messages, counts: ONE, once: async () => ({ [ONE]: await append(session) }) },
  { messages, counts: CROWD, ...together, once: async () => ({ [CROWD]: await append(session) }) },
]

const fresh = await Promise.all(
  Array.from(
    { length: SESSIONS_AT_ONCE },
    async (_, index) => sure(await log.open(newSession(`ses_fresh${index}` as SessionId))).id,
  ),
)
let next = 0
const spread: Case = {
  messages: 0,
  counts: SPREAD,
  ...together,
  once: async () => {
    next = (next + 1) % fresh.length
    return { [SPREAD]: await append(fresh[next] ?? database.small.session) }
  },
}

/** Beside some appends the recall index of another session is made anew, without the rests that the engine takes. */
const recall = createRecall({
  ...{ log, vectorsFile: VECTORS_FILE },
  onTrouble: trouble => {
    throw new Error(trouble.message)
  },
})
let indexing: Promise<void> | undefined
const keepIndexing = (): void => {
  indexing ??= recall
    .rebuild(database.small.session, () => undefined)
    .then(sure)
    .then(() => {
      indexing = undefined
    })
}

/** The same appends without the index, and while it is filled. */
const beside = (isIndexing: boolean): readonly Case[] => {
  const [one, many] = [ONE, SPREAD].map(each => `${each}, ${isIndexing ? 'index being filled' : 'no index'}`) as [string, string]
  const go = async (session: SessionId): Promise<number> => {
    if (isIndexing) keepIndexing()
    else await indexing
    return append(session)
  }
  return [
    { messages: 0, counts: one, once: async () => ({ [one]: await go(fresh[0] ?? database.small.session) }) },
    {
      ...{ messages: 0, counts: many, ...together },
      once: async () => {
        next = (next + 1) % fresh.length
        return { [many]: await go(fresh[next] ?? database.small.session) }
      },
    },
  ]
}

await report('append', scale, async () => [
  // Reading first: what appending adds would be read as well.
  ...(await measure([await reading(database.small), await reading(database.large)], scale)),
  ...(await measure([...appending(database.small), ...appending(database.large), spread], scale)),
  ...(await measure([...beside(false), ...beside(true)], scale)),
])
await indexing
await recall.close()
await log.close()
