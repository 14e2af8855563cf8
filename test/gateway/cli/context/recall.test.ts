import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { recallSummary } from '../../../../src/gateway/cli/output/seen-words.ts'
import { QUESTION } from '../../../turn/inspect/recalling.ts'
import { command } from '../in-process.ts'
import { recalledHome } from '../recalled-home.ts'

/** The turn of the question, of 36. */
const TURN = 34

test('context says what was recalled, each message with its day, its seq and its words', async t => {
  const { home, id } = await recalledHome(t)
  const why = (await command(home, ['context', id, '--turn', String(TURN), '--why'])).stdout
  assert.match(why, /^ {2}Recalled \d+ earlier messages \(\d+ of at most 250 tokens\)$/m)
  assert.match(why, /^ {2}Looks back: the message asks about something that the window does not show$/m)
  assert.match(
    why,
    /^ {2}in +\d+ tokens {3}recall\.match +\d{4}-\d\d-\d\d seq 1 {2}User: My boat is called Marlinspike and lies in…$/m,
  )
  const short = (await command(home, ['context', id, '--turn', String(TURN)])).stdout
  assert.match(short, /^ {2}recalled +\d{4}-\d\d-\d\d seq 1 {2}User: My boat is called Marlinspike and lies in… +\d+$/m)
  const planned = (await command(home, ['context', id, '--turn', String(TURN), '--policy', 'forgetful', '--why'])).stdout
  assert.doesNotMatch(planned, /recall/i)
  const where = (await command(home, ['context', id, '--where', '1'])).stdout
  assert.match(where, /^ {2}in +turns? [\d–]+ +recalled$/m)
  const json = JSON.parse((await command(home, ['context', id, '--json'])).stdout)
  assert.equal(json.items, undefined, 'programs ask for the items themselves')
  const dry = (await command(home, ['ask', '--dry-run', '-s', id, QUESTION])).stdout
  assert.match(dry, /recall\.match +\d{4}-\d\d-\d\d seq 1 {2}User: My boat/)
})

test('a window that was narrowed and a look-up that failed have their words', () => {
  const recall = { messages: 1, tokens: 912, most: 1000, hidden: 5000, looksBack: true, limits: [1, 1] } as const
  assert.deepEqual(recallSummary({ recall, window: { begins: 3, narrowed: true, shows: 40 } }), [
    'Recalled 1 earlier message (912 of at most 1,000 tokens)',
    'Looks back: the message asks about something that the window does not show',
    'Window narrowed for this turn, to make room for quotes: it begins at seq 40',
  ])
  const failed = { ...recall, messages: 0, looksBack: false, failed: 'nothing was recalled within 250 ms' }
  assert.deepEqual(recallSummary({ recall: failed, window: { begins: 3 } }), [
    'Nothing could be recalled: nothing was recalled within 250 ms',
  ])
  assert.deepEqual(recallSummary({ window: { begins: 3 } }), [])
})

test('policies say how they recall', async t => {
  const { home } = await recalledHome(t)
  const { stdout } = await command(home, ['policies'])
  assert.match(stdout, /saving .*; recalls what matters, as far as hiding the past has paid for it$/m)
  assert.match(stdout, /generous .*; recalls what matters, up to 250 tokens$/m)
  assert.doesNotMatch(stdout, /forgetful .*recalls/)
})

test('a case of policy tests asks a question and names the messages that its request must have', async t => {
  const { home, id } = await recalledHome(t)
  const file = join(home, 'tests.json')
  const tried = async (tests: unknown, ...more: readonly string[]) => {
    writeFileSync(file, JSON.stringify(tests))
    return command(home, ['policies', 'test', file, ...more])
  }
  const recalls = { question: QUESTION, evidence: [1] }
  const passed = await tried({ policies: ['generous', 'full'], cases: [{ session: id, recalls }] })
  assert.deepEqual([passed.code, passed.stderr], [0, ''], passed.stdout)
  assert.match(passed.stdout, /1 case under 2 policies: all pass\n$/)
  const failed = await tried(
    { policies: ['forgetful', 'generous'], cases: [{ session: id, recalls: { ...recalls, evidence: [1, 26] } }] },
    '--json',
  )
  assert.equal(failed.code, 1)
  const [forgetful, generous] = JSON.parse(failed.stdout).cases[0].results
  const missed = (forgetful.reasons as string[]).map(reason => /^does not have seq ([\d, ]+): (.+)$/.exec(reason) ?? [])
  assert.deepEqual(missed.flatMap(([, seqs = '']) => seqs.split(', ')).sort(), ['1', '26'])
  // What a summary stands for is not there in its own words either.
  for (const [, , why = ''] of missed) assert.match(why, /^(before the window \(out\.window\)|in the summary \(out\.folded\))$/)
  assert.equal(generous.reasons.length, 1, generous.reasons.join())
  assert.match(
    generous.reasons[0],
    /^does not have seq 26: before the window \(out\.window\); not quoted by recall: rank \d+ of \d+, /,
  )
  // As of an early turn, everything is in the window.
  const early = await tried({ policies: ['forgetful'], cases: [{ session: id, turn: 2, recalls }] })
  assert.equal(early.code, 0, early.stdout)
  const wrong = await tried({ policies: ['full'], cases: [{ session: id, recalls: { question: 'x', evidence: [] } }] })
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /cases\.0\.recalls\.evidence: \[\] names no message; give the seq of one/)
  const nothing = await tried({ policies: ['full'], cases: [{ session: id, recalls: { question: 'x', evidence: [2] } }] })
  assert.match(nothing.stdout, /full seq: 2 is turn\.started; what can be in a request is a message/)
})
