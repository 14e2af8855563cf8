// What a look-up finds: only what the voice may see and still counts, with authors, days and facts as they were.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { choose } from '../../../src/context/recall/choose.ts'
import { eventsBySeq, quotedLine } from '../../../src/context/recall/recall-block.ts'
import type { Event, Fact, Recorded } from '../../../src/model/event.ts'
import type { Candidate, RecallFound } from '../../../src/model/recall.ts'
import { isHouseVoice } from '../../../src/model/settings/council.ts'
import type { RecallQuery } from '../../../src/turn/recall/look-up/look-up.ts'
import { ended, finished, heard, started, text, turn } from '../../log/facts.ts'
import { measure, recorded } from '../../support/material.ts'
import { tries } from '../../support/tries.ts'
import { indexOf, look, questionOf } from './support/index-of.ts'
import { QUESTIONS, randomLog, VOICES } from './support/random-log.ts'

/** Facts, each with its own minute of one day unless it says more. */
const logOf = (facts: readonly (Fact & { readonly at?: string })[]): readonly Recorded[] =>
  recorded(facts.map((fact, index) => ({ at: new Date(Date.UTC(2024, 4, 3, 8, index)).toISOString(), ...fact })))

const found = async (facts: readonly (Fact & { readonly at?: string })[], question: string, given: Partial<RecallQuery> = {}) =>
  look(await indexOf(logOf(facts)), questionOf(question, given))

const bySeq = ({ candidates }: RecallFound, seq: number): Candidate =>
  candidates.find(({ seqs }) => seqs[0] === seq) ?? assert.fail(`seq ${seq} is not among ${candidates.map(({ seqs }) => seqs)}`)

const firsts = ({ candidates }: RecallFound): readonly number[] => candidates.map(({ seqs }) => seqs[0] ?? 0)

test('nothing is found that the voice may not see, that is excluded, lost, replaced or of the house, or that came later', async () => {
  const place = fc.record({
    seed: fc.nat(),
    cut: fc.nat(),
    view: fc.constantFrom('all' as const, 'own' as const),
    out: fc.array(fc.nat()),
  })
  await fc.assert(
    fc.asyncProperty(
      place,
      fc.constantFrom(...VOICES),
      fc.constantFrom(...QUESTIONS),
      async ({ seed, cut, view, out }, voice, asked) => {
        const events = randomLog(seed, { messages: 25, voices: VOICES })
        const through = Math.ceil(events.length / 2) + (cut % (events.length / 2))
        const excluded = out.map(each => 1 + (each % events.length))
        const { candidates } = await look(await indexOf(events), questionOf(asked, { through, voice, view, excluded }))
        const known = events.slice(0, through).filter((event): event is Event => event.type !== 'damaged')
        const ends = new Map(known.flatMap(event => (event.type === 'turn.ended' ? [[event.turn, event.reason]] : [])))
        const voices = new Map(known.flatMap(event => (event.type === 'turn.started' ? [[event.turn, event.voice]] : [])))
        const retried = new Set(
          known.flatMap(event => (event.type === 'turn.started' && event.continues !== true ? (event.resumes ?? []) : [])),
        )
        const seen = new Set<number>()
        for (const { seqs } of candidates) {
          for (const seq of seqs) {
            assert.ok(!seen.has(seq), `${seq} is in two messages`)
            seen.add(seq)
            assert.ok(seq <= through && !excluded.includes(seq))
            const event = events[seq - 1]
            if (event?.type === 'message.received') {
              assert.ok(event.from !== 'council' && (event.to?.includes(voice) ?? true))
              continue
            }
            assert.ok(event !== undefined && 'turn' in event)
            const speaker = voices.get(event.turn) ?? ''
            assert.ok(!isHouseVoice(speaker) && (view === 'all' || speaker === voice), speaker)
            assert.ok(!retried.has(event.turn), `${event.turn} was tried again`)
            // Of an answer that several turns gave, the last one ended well.
          }
          const last = events[(seqs.at(-1) ?? 1) - 1]
          if (last !== undefined && 'turn' in last) assert.ok(['done', 'limit', 'cancelled'].includes(ends.get(last.turn) ?? ''))
        }
      },
    ),
    tries(40),
  )
})

test('everything that a person said to all, and every whole answer, is among the candidates', async () => {
  const events = logOf([
    ...[heard('The kettle is blue.'), started(turn('a'), 1), finished(turn('a'), 1, text('A blue kettle.')), ended(turn('a'))],
    ...[heard('  '), heard('The rain is grey.')],
  ])
  const { candidates, terms, tokens, answers } = await look(await indexOf(events), questionOf('What about the kettle?'))
  assert.deepEqual(
    candidates.map(({ seqs }) => seqs),
    [[1], [3], [6]],
  )
  assert.deepEqual(
    candidates.map(({ isRelated }) => isRelated),
    [true, true, false],
  )
  assert.deepEqual(
    candidates.map(({ author }) => author),
    ['User', 'Assistant', 'User'],
  )
  assert.deepEqual(terms, ['kettle'])
  assert.equal(
    tokens,
    [0, 2, 5].reduce((sum, at) => sum + (events[at]?.tokens ?? 0), 0),
  )
  assert.equal(answers, 1)
})

test('a question without a word, a name or a day finds nothing', async () => {
  for (const asked of ['And so?', 'What about that?', '…', ''])
    assert.deepEqual((await found([heard('The kettle is blue.')], asked)).candidates, [], asked)
  const day = await found(
    [heard('The kettle is blue.'), { ...heard('Rain.'), at: '2024-05-09T08:00:00Z' }],
    'What about 9 May 2024?',
  )
  assert.deepEqual(
    day.candidates.map(({ isRelated }) => isRelated),
    [false, true],
  )
})

const NAMED = (names: readonly string[]): readonly Fact[] =>
  names.map((name, index) => heard(`${name}: word${index} of the kettle`))

test('a chat has named authors when four fifths begin with one of at most twenty names, each twice', async () => {
  const isNamed = async (facts: readonly Fact[]): Promise<boolean> => bySeq(await found(facts, 'kettle?'), 1).author === null
  const four = ['Ada', 'Bo', 'Ada', 'Bo']
  assert.ok(await isNamed(NAMED(four)))
  assert.ok(await isNamed([...NAMED(four), heard('the kettle, without a name')]), 'exactly four fifths')
  assert.ok(!(await isNamed([...NAMED(four), heard('a kettle'), heard('no kettle')])), 'four of six')
  assert.ok(!(await isNamed(NAMED(['Ada', 'Ada', 'Bo', 'Cleo']))), 'only one name is there twice')
  const letters = [...'ABCDEFGHIJKLMNOPQRSTU'].map(letter => `${letter}nna`)
  assert.ok(await isNamed(NAMED([...letters.slice(0, 20), ...letters.slice(0, 20)])), 'twenty names')
  assert.ok(!(await isNamed(NAMED([...letters, ...letters]))), 'twenty-one names')
})

test('in a chat with named authors the question may name one, and the name is no word of it', async () => {
  const facts = [heard('Ada: I bought a kettle.'), heard('Bo: I bought a kettle.'), heard('Ada: Fine.'), heard('Bo: Fine.')]
  const named = await found(facts, 'What did Ada buy?')
  assert.deepEqual(named.terms, ['buy'])
  assert.ok(bySeq(named, 1).score > bySeq(named, 2).score + 1.9)
  assert.ok(bySeq(named, 3).isRelated && !bySeq(named, 4).isRelated)
  const others = await found([heard('Cleo: I bought a kettle.'), heard('I met Cleo today.'), heard('Rain.')], 'Where is Cleo?')
  assert.ok(bySeq(others, 1).isRelated && bySeq(others, 2).isRelated, 'elsewhere a name is a word like others')
})

test('a pause of more than four hours begins a sitting', async () => {
  const at = (hours: number, minutes = 0): string => new Date(Date.UTC(2024, 4, 3, 8 + hours, minutes)).toISOString()
  const around = async (later: string): Promise<number> => {
    const facts = [
      { ...heard('The violin and the glacier.'), at: at(0) },
      { ...heard('Yes.'), at: later },
      { ...heard('No.'), at: at(40) },
    ]
    const result = await found(facts, 'violin glacier')
    return bySeq(result, 2).score - bySeq(result, 3).score
  }
  assert.ok((await around(at(4))) > 0.1, 'the same sitting')
  assert.equal(await around(at(4, 1)), 0)
})

test('a message to some is found for them alone, and so are answers where a voice hears only its own', async () => {
  const answer = (voice: string, cause: number, words: string): readonly Fact[] => {
    const id = turn(`${voice}${cause}`)
    return [
      { type: 'turn.started', turn: id, voice, cause },
      finished(id, 1, text(words)),
      { type: 'turn.ended', turn: id, voice, reason: 'done' },
    ]
  }
  const facts: readonly Fact[] = [
    heard('A kettle for all'),
    ...answer('ada', 1, 'kettle says ada'),
    ...answer('bo', 1, 'kettle says bo'),
    { type: 'message.received', text: 'A kettle for ada', from: 'person', to: ['ada'] },
    ...answer('ada', 8, 'a secret kettle'),
  ]
  const seqs = async (voice: string, view: 'all' | 'own') => firsts(await found(facts, 'kettle', { voice, view }))
  assert.deepEqual(await seqs('ada', 'own'), [1, 3, 8, 10])
  assert.deepEqual(await seqs('bo', 'own'), [1, 6])
})

test('rare words weigh more than frequent ones, and a message takes its best passage', async () => {
  const often = Array.from({ length: 12 }, (_, index) => heard(`The kettle of day ${index}.`))
  const long = `${'Nothing of interest happened here at all. '.repeat(40)}\n\nThe quokka sat by the harbour.`
  const result = await found([...often, heard(long), heard('A quokka.')], 'kettle quokka')
  const [best] = result.candidates.toSorted((a, b) => b.match - a.match)
  assert.deepEqual(best?.seqs, [14])
  const { passages = [], tokens } = bySeq(result, 13)
  assert.ok(tokens > 250)
  assert.deepEqual(
    passages.map(([, from, to]) => long.slice(from, to).includes('quokka')),
    [true],
  )
  assert.equal(bySeq(result, 1).passages, undefined)
})

test('a long message of a named author is quoted with its name, though its passages come without', async () => {
  const long = `Ada: ${'Nothing of interest happened here at all. '.repeat(40)}\n\nThe quokka sat by the harbour.`
  const facts = [heard(long), heard('Bo: Hm.'), heard('Ada: Yes.'), heard('Bo: No.')]
  const events = logOf(facts)
  const { candidates } = await look(await indexOf(events), questionOf('quokka'))
  const choosing = { eventsOf: eventsBySeq(events), names: [], measure }
  const quote = choose(candidates, 500, choosing).find(({ seqs }) => seqs[0] === 1)
  assert.match(
    quotedLine(quote ?? assert.fail(), choosing.eventsOf, []) ?? '',
    /^2024-05-03 Ada: Nothing [^:]*The quokka sat by the harbour\.$/,
  )
})
