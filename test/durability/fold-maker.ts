// Talks until a fold is made, and dies on the way where it is told to. One that lives says the appends of the fold, one on a line.
import { weigh } from '../../src/context/text/tokens.ts'
import type { Log } from '../../src/log/ports.ts'
import { sqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import { FOLD } from '../../src/model/settings/council.ts'
import { isEvent, until } from '../support/engine.ts'
import { must } from '../support/folding.ts'
import { exchange, type FoldOrders, foldingEngine, UNTIL_DUE } from './fold-life.ts'

const { file, by, death } = JSON.parse(process.argv[2] ?? '') as FoldOrders

/** Nothing runs after it, in no thread. */
const die = (): void => void process.kill(process.pid, 'SIGKILL')

const log = must(await sqliteLog({ file, clock: Date.now, weigh }))
const appends: string[] = []
const folding = new Set<string>()
const append: Log['append'] = async (id, facts, options) => {
  for (const fact of facts) if (fact.type === 'turn.started' && fact.voice === FOLD) folding.add(fact.turn)
  const isOfFold = facts.some(fact => fact.type === 'history.folded' || ('turn' in fact && folding.has(fact.turn)))
  const name = facts.map(({ type }) => type).join(' + ')
  if (isOfFold) appends.push(name)
  const isLast = isOfFold && death !== undefined && 'append' in death && death.append === name
  if (isLast && death.at === 'before') die()
  const appended = await log.append(id, facts, options)
  if (isLast) die()
  return appended
}

const engine = foldingEngine({ ...log, append }, by, piece => {
  if (death?.at === 'piece' && death.piece === piece) die()
})
const session = must(await engine.open({})).id
for (let n = 1; n <= UNTIL_DUE; n += 1) await exchange(engine, session, n)
await until(engine, session, signal => isEvent(signal, 'history.folded'))
process.stdout.write(`${appends.join('\n')}\n`)
await engine.close()
