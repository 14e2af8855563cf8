// How long appending and reading take, in a session of a thousand messages and in one of a million, in one file.
import { weigh } from '../src/context/text/tokens.ts'
import { sqliteLog } from '../src/log/sqlite/sqlite-log.ts'
import type { Fact } from '../src/model/event.ts'
import type { SessionId } from '../src/model/ids.ts'
import { copyOf, fixture, newSession, type Sized } from './fixture.ts'
import { type Case, measure, report, scaleOf, sure, timed } from './measure.ts'

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

await report('append', scale, async () => [
  // Reading first: what appending adds would be read as well.
  ...(await measure([await reading(database.small), await reading(database.large)], scale)),
  ...(await measure([...appending(database.small), ...appending(database.large), spread], scale)),
])
await log.close()
