// Appends in several sessions at once until it is killed. Says "? key" before each append and "! key" once it is acknowledged.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { sqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import { heard, must, randomFrom, session, sessionOf } from '../log/facts.ts'

/** What the one before was killed over comes first, under the same key. Round 0 only opens the sessions and ends. */
type Orders = { readonly file: string; readonly round: number; readonly seed: number; readonly again: readonly string[] }

const SESSIONS = ['a', 'b', 'c', 'd']
const say = (line: string): number => writeSync(1, `${line}\n`)

// Everything that takes time is done before the order comes, so that many can wait in line.
const [line] = await createInterface(process.stdin)
  [Symbol.asyncIterator]()
  .next()
  .then(next => [next.value as string])
const { file, round, seed, again } = JSON.parse(line ?? '') as Orders
const weigh = () => ({ tokens: 1, messages: 1 })
const log = must(await sqliteLog({ file, clock: Date.now, weigh }))
if (round === 0) {
  for (const name of SESSIONS) must(await log.open(sessionOf(session(name))))
  await log.close()
  process.exit()
}
const next = randomFrom(seed)

/** A key tells all there is to know about its append: the session, a number, how many facts, how long each. */
const append = async (key: string): Promise<void> => {
  const [name = '', , facts = '1', length = '1'] = key.split('.')
  say(`? ${key}`)
  const texts = Array.from({ length: Number(facts) }, (_, index) => heard(`${key} ${index} ${'x'.repeat(Number(length))}`))
  must(await log.append(session(name), texts, { key }))
  say(`! ${key}`)
}
await Promise.all(again.map(append))
await Promise.all(
  SESSIONS.map(async name => {
    for (let count = 0; ; count += 1) {
      const length = Math.floor(Math.exp(next() * 9))
      await append([name, `${round}:${count}`, 1 + Math.floor(next() * 4), length].join('.'))
    }
  }),
)
