/** The talk of a council that its goldens are made of, on any log. */
import assert from 'node:assert/strict'
import type { Log } from '../../src/index.ts'
import { fault } from '../../src/model/fault.ts'
import type { Mint } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Provider, Wire } from '../../src/model/provider.ts'
import type { Council } from '../../src/model/settings/council.ts'
import { says } from '../../src/testing/scripted.ts'
import { advisor, boardOf, councilOf, round, settled } from '../support/council.ts'

/** What was asked, by who was asked and how often it had been asked before; a wire need not say whose request it is. */
export type Asked = ReadonlyMap<string, string>

const GODIN = advisor('seth-godin', { name: 'Seth Godin', description: 'You see what people choose to talk about.' })
const BUBER = advisor('martin-buber', { name: 'Martin Buber', description: 'You look for the meeting between one and another.' })
const PEMA = advisor('pema-chodron', { name: 'Pema Chödrön', description: 'You stay with what is hard to bear.' })
const BAKER = advisor('baker', { name: 'The Baker', description: 'You have sold bread for thirty years.' })

const three: Council = councilOf([GODIN, BUBER, PEMA], { early: { turns: 3 } })

/** Ids in the order in which they are wanted. */
function counting(): Mint {
  const counts = new Map<string, number>()
  return kind => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return `${kind}_${counts.get(kind)}` as never
  }
}

/** Six rounds, five minutes apart: the fifth without Seth Godin's answer, the sixth with one more advisor. */
export async function councilStory(wire: Wire, openLog: (clock: () => number) => Log | Promise<Log>): Promise<Asked> {
  let now = Date.parse('2025-10-30T12:00:00.000Z')
  const asked = new Map<string, string>()
  const times = new Map<string, number>()
  async function* speak({ body }: { readonly body: string }): AsyncGenerator<Delta> {
    const name = [GODIN, BUBER, PEMA, BAKER].find(each => body.includes(`You are ${each.name}. `))?.name ?? 'Synthesis'
    const turn = (times.get(name) ?? 0) + 1
    times.set(name, turn)
    asked.set(`${name} ${turn}`, body)
    if (name === GODIN.name && turn === 5) yield { type: 'fault', fault: fault('rejected', 'not today') }
    else yield* [{ type: 'think', text: `${name} thinks ${turn}` } as const, ...says(`${name} turn ${turn} response`)]
  }
  const provider: Provider = { wire, speak }
  const clock = (): number => now
  const board = await boardOf(three, { provider, clock, mint: counting(), log: await openLog(clock) })
  for (const text of ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth']) {
    if (text === 'Sixth') board.seats.council = { ...three, advisors: [...three.advisors, BAKER] }
    await round(board, `${text} user message`)
    if (text === 'Fourth') {
      const turn = await board.engine.synthesize(board.session, 'brief')
      assert.ok(turn.ok)
      await settled(board, events => events.some(event => event.type === 'turn.ended' && event.turn === turn.value))
    }
    now += 5 * 60_000
  }
  for await (const { verdict, detail } of board.engine.verify(board.session)) assert.equal(verdict, 'identical', detail ?? '')
  await board.engine.close(100)
  return asked
}

/** The cases, each with the request that it is about. */
export const COUNCIL_GOLDENS: Readonly<Record<string, string>> = {
  'turn-two-of-three-buber': 'Martin Buber 2',
  'turn-four-godin': 'Seth Godin 4',
  'turn-four-buber': 'Martin Buber 4',
  'turn-four-pema': 'Pema Chödrön 4',
  'turn-four-synthesis': 'Synthesis 1',
  'failed-neighbour-buber': 'Martin Buber 6',
  'failed-neighbour-is-asked-again': 'Seth Godin 6',
  'late-joiner': 'The Baker 1',
}
