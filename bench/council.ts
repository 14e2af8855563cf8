// How soon advisors of a council begin to speak, alone and beside others that fail, are silent, slow or talkative; and what the
// rounds of a council are billed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { count } from '../src/context/text/tokens.ts'
import { BAD, FIFTH, GOOD, LATER, LATER_MS, type Member } from './council-cast.ts'
import { costsOf, costTable } from './council-cost.ts'
import { openStand } from './council-stand.ts'
import { type House, openHouse, type Talk } from './council-talk.ts'
import { type Case, markdown, measure, percentile, type Row, ratioOf, report, scaleOf, type View } from './measure.ts'

/** Advisors that are measured twice in a row, alone and with others beside them. */
type Pair = { readonly name: string; readonly good: readonly Member[]; readonly beside: readonly Member[] }

/** Of the last round of a conversation: how many messages of its own each was sent. */
type CouncilRow = Row & { readonly sent: readonly number[] }

const quick = process.argv.includes('--quick')
/** A conversation has so many rounds, then another begins. */
const ROUNDS = quick ? 3 : 20
const COST_ROUNDS = 20
/** One round that counts for nothing stands before these. */
const scale = { ...scaleOf(process.argv), goes: 1, rounds: quick ? 2 : 2 * ROUNDS - 1 }
const longScale = { ...scale, rounds: ROUNDS - 1 }

const besides = (good: readonly Member[], fifth: Member, when: string): readonly Pair[] => [
  ...[fifth, ...Object.values(BAD)].map(member => ({ name: `${when}: ${nameOf(member)}`, good, beside: [member] })),
  { name: `${when}: all five bad ones`, good, beside: Object.values(BAD) },
]
const nameOf = ({ kind }: Member): string => (kind === 'good' || kind === 'later' ? 'a fifth good one' : kind)

/** A quick run has one or two of everything. */
const QUICK = ['at once: silent', 'at once: talker', 'at once: all five bad ones', `after ${LATER_MS} ms: silent`]
const isWanted = ({ name }: Pair): boolean => !quick || QUICK.includes(name)
const AT_ONCE = besides(GOOD, FIFTH.good, 'at once').filter(isWanted)
const AFTER_A_WHILE = besides(LATER, FIFTH.later, `after ${LATER_MS} ms`).filter(isWanted)
/** Where two of five are no worse than slow and talkative, and each of the two is looked at by itself. */
const TWO_OF_FIVE: Pair = { name: 'two of five', good: [BAD.slow, BAD.talker], beside: [BAD['500'], BAD['401'], BAD.silent] }

const costs = await costsOf(COST_ROUNDS, count)
console.log(`council · node bench/council.ts --cost · what ${COST_ROUNDS} rounds of five advisors are billed\n`)
console.log(`${costTable(costs).join('\n')}\n`)
console.log(`${JSON.stringify({ bench: 'council-cost', command: 'node bench/council.ts --cost', rounds: COST_ROUNDS, costs })}\n`)
if (!process.argv.includes('--cost')) await report('council', scale, measured, viewOf())

async function measured(): Promise<readonly CouncilRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-council-'))
  const stand = await openStand()
  const house = await openHouse(join(folder, 'turnwise.db'), stand)
  try {
    return [
      ...(await rowsOf(house, AT_ONCE, scale)),
      ...(await rowsOf(house, AFTER_A_WHILE, longScale)),
      ...(await rowsOf(house, [TWO_OF_FIVE], longScale)),
    ]
  } finally {
    await house.close()
    await stand.close()
    rmSync(folder, { recursive: true })
  }
}

/** Alone and beside the others in turns, a round each, so that a noisy moment meets both. */
async function rowsOf(house: House, pairs: readonly Pair[], { rounds }: typeof scale): Promise<readonly CouncilRow[]> {
  const talks = pairs.flatMap(({ name, good, beside }) => [
    { what: `${name}, without`, good, talk: house.talk({ good, beside: [], rounds: ROUNDS }) },
    { what: `${name}, with`, good, talk: house.talk({ good, beside, rounds: ROUNDS }) },
  ])
  const rows = await measure(
    talks.map(({ what, talk }) => caseOf(what, talk)),
    { ...scale, rounds },
  )
  return talks.flatMap(({ what, good, talk }) =>
    groupsOf(what, good).map(({ name, members }) => ({
      ...joined(
        name,
        rows.filter(row => members.some(({ id }) => row.what === `${what}, ${id}`)),
      ),
      sent: members.map(({ id }) => talk.sent()[id] ?? Number.NaN),
    })),
  )
}

function caseOf(what: string, talk: Talk): Case {
  const named = (firsts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
    Object.fromEntries(Object.entries(firsts).map(([id, ms]) => [`${what}, ${id}`, ms]))
  return { messages: 0, once: async () => named(await talk.round()) }
}

type Group = { readonly name: string; readonly members: readonly Member[] }

/** Those of one kind are one row; one that is slow and one that is not have nothing in common. */
function groupsOf(what: string, good: readonly Member[]): readonly Group[] {
  const kinds = [...Map.groupBy(good, ({ kind }) => kind)]
  return kinds.map(([kind, members]) => ({ name: kinds.length === 1 ? what : what.replace(',', ` (${kind}),`), members }))
}

/** The values of several rows as those of one. */
function joined(what: string, rows: readonly Row[]): Row {
  const rounds = (rows[0]?.rounds ?? []).map((_, round) => rows.flatMap(row => row.rounds[round] ?? []))
  const all = rounds.flat()
  return { what, messages: 0, p50: percentile(all, 50), p99: percentile(all, 99), rounds }
}

function viewOf(): View {
  const pairsOf = (rows: readonly Row[]): readonly { name: string; alone: CouncilRow; beside: CouncilRow }[] => {
    const all = rows as readonly CouncilRow[]
    return all.flatMap(alone => {
      const name = alone.what.replace(/, without$/, '')
      const beside = all.find(({ what }) => what === `${name}, with`)
      return name === alone.what || beside === undefined ? [] : [{ name, alone, beside }]
    })
  }
  return {
    ratios: rows => pairsOf(rows).map(({ name, alone, beside }) => ({ what: name, ...ratioOf(beside, alone) })),
    table: ({ rows, ratios }) => {
      const cells = pairsOf(rows).map(({ name, alone, beside }, index) => [
        name,
        `${alone.p50.toFixed(2)} / ${alone.p99.toFixed(2)}`,
        `${beside.p50.toFixed(2)} / ${beside.p99.toFixed(2)}`,
        `${ratios[index]?.p50.toFixed(2)} / ${ratios[index]?.p99.toFixed(2)}`,
        `${alone.sent.join(' ')} · ${beside.sent.join(' ')}`,
      ])
      return markdown(
        ['first delta, p50 / p99 ms', 'without', 'with', 'with ÷ without', 'own messages sent, without · with'],
        cells,
      )
    },
  }
}
