import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { type Engine, type House, type Log, memoryLog, presets, weigh } from '../../src/index.ts'
import type { Mark, Recorded } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { TurnId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import {
  type Advisor,
  type Council,
  isHouseVoice,
  SYNTHESIS,
  SYNTHESIS_MODES,
  type SynthesisMode,
} from '../../src/model/settings/council.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import type { DemoRequest } from '../../src/provider/demo/wire.ts'
import { says } from '../../src/testing/scripted.ts'
import { advisor, boardOf, councilOf, linesOf, openIn, round, stand } from '../support/council.ts'
import { engineWith, eventsOf, gate, last } from '../support/engine.ts'
import { tries } from '../support/tries.ts'

/** How an advisor takes a message. */
type Mood = 'answers' | 'thinks' | 'waits' | 'fails' | 'breaks' | 'is silent' | 'is blank'

/** What people do with a council; numbers are places, counted round whatever there is. */
type Step =
  | { readonly does: 'say'; readonly to?: readonly number[]; readonly by: 'id' | 'mention'; readonly synthesis?: SynthesisMode }
  | { readonly does: 'exchange'; readonly rounds: number }
  | { readonly does: 'synthesize'; readonly mode: SynthesisMode; readonly round?: number }
  | { readonly does: 'resume'; readonly turn?: number }
  | { readonly does: 'cancel'; readonly turn?: number }
  | { readonly does: 'let speak' | 'reorder' }
  | { readonly does: 'let one speak'; readonly at: number }
  /** With what was being said, or without. */
  | { readonly does: 'restart'; readonly isKept: boolean }
  | { readonly does: 'add'; readonly advisor: Seat }
  | { readonly does: 'remove' | 'hide'; readonly at: number }
  | { readonly does: 'rename'; readonly at: number; readonly name: string }
  | { readonly does: 'give policy'; readonly at: number; readonly policy: string }
  | { readonly does: 'change policy'; readonly policy: string }
  | { readonly does: 'mark'; readonly at: number; readonly mark: Mark | null }

type Seat = Pick<Advisor, 'name' | 'active'> & { readonly policy?: string | undefined }

type Play = {
  readonly advisors: readonly Seat[]
  readonly council: Pick<Council, 'references' | 'early'>
  readonly policy: string
  /** Whether what a restart interrupts goes on by itself. */
  readonly resume: 'auto' | 'ask'
  readonly moods: readonly Mood[]
  readonly steps: readonly Step[]
}

/** What came of a play: everything that happened, everything that was asked, and whether it can all be built again. */
type Outcome = {
  readonly references: Council['references']
  readonly events: readonly Recorded[]
  readonly requests: readonly DemoRequest[]
  readonly verdicts: readonly string[]
}

const POLICIES: readonly Policy[] = [
  { ...presets.council, name: 'tiny', window: { kind: 'tokens', low: 60, high: 110 } },
  { ...presets.council, name: 'narrow', window: { kind: 'all' }, budget: { tokens: 600, reserve: 100 } },
  { ...presets.recent, name: 'last one', window: { kind: 'last', messages: 1 } },
  { ...presets.recent, name: 'nothing', window: { kind: 'last', messages: 0 }, stamps: true },
  { ...presets['head-tail'], name: 'ends', window: { kind: 'head-tail', max: 4, head: 1, recent: 2, noteOver: 1 } },
  { ...presets.transcript, name: 'script', window: { kind: 'last', messages: 3 } },
]

const NAMES = ['Ada', 'ada', 'Ada Lind', 'Bo', 'v1', 'Zoë: "]', 'You']

const policyName = fc.constantFrom(...Object.keys(presets), ...POLICIES.map(({ name }) => name))
const place = fc.nat(30)
const seat: fc.Arbitrary<Seat> = fc.record({
  name: fc.constantFrom(...NAMES),
  active: fc.constantFrom(true, true, true, true, false),
  policy: fc.option(policyName, { nil: undefined }),
})
const mode = fc.constantFrom(...SYNTHESIS_MODES)
const say: fc.Arbitrary<Step> = fc.record(
  {
    does: fc.constant('say' as const),
    by: fc.constantFrom('id' as const, 'mention' as const),
    to: fc.array(place, { minLength: 1, maxLength: 2 }),
    synthesis: mode,
  },
  { requiredKeys: ['does', 'by'] },
)
const toAll: fc.Arbitrary<Step> = fc.constant({ does: 'say', by: 'id' })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: toAll },
  { weight: 6, arbitrary: say },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('exchange' as const), rounds: fc.integer({ min: 1, max: 2 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('synthesize' as const), mode, round: place }, { requiredKeys: ['does', 'mode'] }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('resume' as const, 'cancel' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('resume' as const, 'cancel' as const), turn: place }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('let speak' as const, 'reorder' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('let one speak' as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('restart' as const), isKept: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('add' as const), advisor: seat }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('remove' as const, 'hide' as const), at: place }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('rename' as const), at: place, name: fc.constantFrom(...NAMES) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('give policy' as const), at: place, policy: policyName }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('change policy' as const), policy: policyName }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('mark' as const),
      at: place,
      mark: fc.constantFrom('pin' as const, 'exclude' as const, null),
    }),
  },
)
const moods: readonly Mood[] = [
  ...['answers', 'answers', 'answers', 'answers', 'thinks', 'waits', 'waits'],
  ...['fails', 'breaks', 'is silent', 'is blank'],
] as Mood[]
const playable: fc.Arbitrary<Play> = fc.record({
  advisors: fc.array(seat, { minLength: 1, maxLength: 6 }),
  council: fc.record({
    references: fc.constantFrom('last-round' as const, 'last-round' as const, 'none' as const),
    early: fc.record({ turns: fc.nat(3) }),
  }),
  policy: policyName,
  resume: fc.constantFrom('auto' as const, 'ask' as const),
  moods: fc.array(fc.constantFrom(...moods), { minLength: 1, maxLength: 8 }),
  steps: fc.array(step, { minLength: 2, maxLength: 7 }).map(steps => [...steps, { does: 'say', by: 'id' } as const]),
})

const markOf = (voice: string, turn: number): string => `«${voice}#${turn}»`
const thoughtOf = (voice: string, turn: number): string => `«thought of ${voice}#${turn}»`

/** Short, so that windows can be short too. */
const house: House = {
  parts: async ({ key, prompt }) => [{ source: `advisor ${key}`, reason: 'system.agent', text: prompt }],
}

const nameless = ({ id }: Pick<Advisor, 'id'>): Partial<Advisor> => ({ description: `You are ${id}.` })
const seated = ({ policy, ...more }: Seat, id: string): Advisor =>
  advisor(id, { ...nameless({ id }), ...more, ...(policy === undefined ? {} : { policy }) })

const at = <Item>(items: readonly Item[], index: number): Item | undefined => items[index % Math.max(1, items.length)]

/** Acts a play on the real engine; `seen` is the log as that engine sees it. */
async function act(
  { advisors, council, policy, resume, moods: given, steps }: Play,
  seen = (log: Log): Log => log,
): Promise<Outcome> {
  const log = memoryLog({ clock: Date.now, weigh })
  let held: ReturnType<typeof gate>[] = []
  const lost: ReturnType<typeof gate>[] = []
  let asked = 0
  let isOver = false
  async function* waiting(mark: string, signal: AbortSignal): AsyncGenerator<Delta> {
    const hold = gate()
    held.push(hold)
    yield { type: 'text', text: mark }
    await Promise.race([hold.passed, new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))])
    yield { type: 'done' }
  }
  const provider = stand(({ voice, turn, messages }, signal) => {
    const mood = isOver ? 'answers' : (at(given, asked++) ?? 'answers')
    // One that was cut off goes on with other words.
    const mark = JSON.stringify(messages).includes(markOf(voice, turn)) ? ' and so on' : markOf(voice, turn)
    const failure: Delta = { type: 'fault', fault: fault('rejected', 'not today') }
    if (mood === 'waits') return waiting(mark, signal)
    if (mood === 'fails') return [failure]
    if (mood === 'breaks') return [{ type: 'think', text: thoughtOf(voice, turn) }, { type: 'text', text: mark }, failure]
    if (mood === 'is silent') return [{ type: 'done' }]
    if (mood === 'is blank') return says(' \n')
    return [...(mood === 'thinks' ? [{ type: 'think', text: thoughtOf(voice, turn) } as const] : []), ...says(mark)]
  })
  const seats = {
    council: councilOf(
      advisors.map((each, index) => seated(each, `v${index + 1}`)),
      council,
    ),
  }
  let born = advisors.length
  const started = (): Engine =>
    engineWith({
      log: seen(log),
      provider,
      house,
      // A look-up works in a thread of its own, which `quiet` cannot wait for: test/turn/recall has what voices recall.
      policies: [...Object.values(presets), ...POLICIES].map(each => ({ ...each, recall: null })),
      councils: () => [seats.council],
      limits: { historyMs: 60_000 },
      resume: { mode: resume },
      observe: observation => {
        if (observation.type === 'bug') throw observation.cause
      },
    })
  let engine = started()
  const opened = await engine.open({ council: 'board', policy })
  assert.ok(opened.ok)
  const session = opened.value.id

  const headNow = async (): Promise<number> => {
    const standing = await log.standing(session)
    return standing.ok ? standing.value.head : 0
  }
  /** Until nothing happens any more but what somebody holds back. */
  const quiet = async (): Promise<void> => {
    for (let calm = 0, head = -1; calm < 3; calm += 1) {
      await tick()
      const now = await headNow()
      if (now !== head) calm = 0
      head = now
    }
  }
  const letSpeak = async (): Promise<void> => {
    while (held.length > 0) {
      for (const hold of held.splice(0)) hold.open()
      await quiet()
    }
  }
  const edit = (change: (all: readonly Advisor[]) => readonly Advisor[]): void => {
    seats.council = { ...seats.council, advisors: change(seats.council.advisors) }
  }
  const replaced = (index: number, more: Partial<Advisor>): void => {
    const chosen = at(seats.council.advisors, index)
    edit(all => all.map(each => (each === chosen ? { ...each, ...more } : each)))
  }
  const events = (): Promise<readonly Recorded[]> => eventsOf(engine, session)
  const turnAt = async (index: number | undefined): Promise<TurnId | undefined> => {
    const turns = (await events()).flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))
    return index === undefined ? undefined : at(turns.slice(-8), index)
  }

  /** As if whoever speaks had been heard up to here. */
  const keepWords = async (): Promise<void> => {
    const happened = await events()
    const open = openIn(happened)
    for (const { turn, voice } of only(happened, 'turn.started').filter(each => open.includes(each.turn))) {
      const ordinal = only(happened, 'turn.started').filter(each => each.voice === voice).length
      const step = only(happened, 'context.planned').findLast(each => each.turn === turn)?.step
      const parts = [{ type: 'text', text: markOf(voice, ordinal) } as const]
      if (step !== undefined) await log.checkpoint(session, { turn, step, parts })
    }
  }

  const take = async (each: Step, number: number): Promise<void> => {
    switch (each.does) {
      case 'say': {
        const { advisors: all } = seats.council
        const to = each.to?.flatMap(index => at(all, index) ?? [])
        const called = to === undefined || each.by === 'id' ? '' : to.map(({ name }) => `@${name} `).join('')
        await engine.say({
          session,
          text: `${called}«person#${number}»`,
          from: 'person',
          ...(to !== undefined && each.by === 'id' ? { to: to.map(({ id }) => id) } : {}),
          ...(each.synthesis === undefined ? {} : { synthesis: each.synthesis }),
        })
        break
      }
      case 'exchange':
        await engine.exchange(session, each.rounds)
        break
      case 'synthesize': {
        const rounds = (await events()).flatMap(event => (event.type === 'message.received' ? [event.seq] : []))
        await engine.synthesize(session, each.mode, each.round === undefined ? undefined : at(rounds, each.round))
        break
      }
      case 'resume':
        await engine.resume(session, await turnAt(each.turn))
        break
      case 'cancel':
        await engine.cancel(session, await turnAt(each.turn))
        break
      case 'let speak':
        await letSpeak()
        break
      case 'let one speak':
        for (const hold of held.splice(each.at % Math.max(1, held.length), 1)) hold.open()
        break
      case 'restart':
        // Whoever spoke then never ends for the engine that is gone.
        if (each.isKept) await keepWords()
        lost.push(...held)
        held = []
        engine = started()
        await engine.recover()
        break
      case 'reorder':
        edit(all => all.toReversed())
        break
      case 'add':
        born += 1
        edit(all => [...all, seated(each.advisor, `v${born}`)])
        break
      case 'remove': {
        const chosen = at(seats.council.advisors, each.at)
        if (seats.council.advisors.length > 1) edit(all => all.filter(other => other !== chosen))
        break
      }
      case 'hide':
        replaced(each.at, { active: at(seats.council.advisors, each.at)?.active === false })
        break
      case 'rename':
        replaced(each.at, { name: each.name })
        break
      case 'give policy':
        replaced(each.at, { policy: each.policy })
        break
      case 'change policy':
        await engine.change(session, { policy: each.policy })
        break
      case 'mark': {
        const messages = (await events()).filter(({ type }) => type === 'message.received' || type === 'reply.finished')
        const target = at(messages, each.at)
        if (target !== undefined) await engine.mark(session, target.seq, each.mark)
        break
      }
    }
    await quiet()
  }

  for (const [number, each] of steps.entries()) await take(each, number)
  await letSpeak()
  const happened = await events()
  assert.deepEqual(openIn(happened), [], 'every turn has ended')
  const verdicts: string[] = []
  for await (const { verdict, detail } of engine.verify(session))
    verdicts.push(detail === undefined ? verdict : `${verdict}: ${detail}`)
  const requests = [...provider.requests]
  // What a lost engine would still do is nobody's business, but it must come to its end.
  isOver = true
  for (const hold of lost) hold.open()
  return { references: council.references, events: happened, requests, verdicts }
}

type Line = { readonly role: 'user' | 'assistant'; readonly text: string }

/** What stands in a request, line by line; a transcript is read as what it tells of. */
const spokenIn = ({ messages }: DemoRequest): readonly Line[] =>
  messages.flatMap(({ role, blocks }) =>
    blocks.flatMap(block => {
      assert.ok(block.type === 'text', `nothing but text: ${block.type}`)
      const isTold = role === 'user' && /^=== (?:HISTORY|CURRENT) ===/.test(block.text)
      return isTold
        ? block.text
            .split(/\n\n(?=\$|=)/)
            .filter(isEntry)
            .map(toldLine)
        : [{ role, text: block.text }]
    }),
  )

const isEntry = (text: string): boolean => text.startsWith('$')

const toldLine = (text: string): Line => ({ role: text.startsWith('$respond: ') ? 'assistant' : 'user', text })

const REFERENCE = "[For reference, here's what the other perspectives said last turn:\n\n"
const ROUND = '[This is what the advisors answered:\n\n'
const EXCHANGE_MARK = '[A word from the house:'
const CUT_OFF = '[You were cut off'
const isNote = ({ text }: Line): boolean =>
  text.startsWith(CUT_OFF) ||
  /^\[(?:Turn \d+ of \d+|\d+ earlier messages? (?:is|are) not shown\.|Session context: \d+ earlier messages omitted)\]$/.test(
    text,
  )
const isQuoting = (line: Line): boolean => line.text.startsWith(REFERENCE) || line.text.startsWith(ROUND)

/** Whose words these are; the house's own message to an exchange has no number. */
const marksIn = (text: string): readonly string[] =>
  text.includes(EXCHANGE_MARK) ? [EXCHANGE_MARK] : (text.match(/«[^»]+»/g) ?? [])

const wordOf = ({ role, text }: Line): string => `${role} ${marksIn(text).join(' ')}`

type Of<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>
const only = <Type extends Recorded['type']>(events: readonly Recorded[], type: Type): readonly Of<Type>[] =>
  events.filter((event): event is Of<Type> => event.type === type)

type Words = { readonly seqs: readonly number[]; readonly text: string }

/** What had happened when a request was made: all that it may tell of. */
function worldOf(events: readonly Recorded[], through: number) {
  const past = events.filter(({ seq }) => seq <= through)
  const ends = new Map(only(past, 'turn.ended').map(({ turn, reason }) => [turn, reason]))
  const starts = only(past, 'turn.started')
  const resumed = new Set(starts.flatMap(({ resumes }) => resumes ?? []))
  /** What a turn has said so far, wherever it was cut off in between. */
  const wordsOf = (turn: TurnId): readonly Words[] => {
    const replies = [...only(past, 'reply.finished'), ...only(past, 'reply.broken')].filter(each => each.turn === turn)
    const hasWords = ({ parts }: (typeof replies)[number]): boolean => parts.some(({ type }) => type === 'text')
    const spoken = replies.sort((a, b) => a.seq - b.seq).filter(hasWords)
    // A mark on any part of an answer counts for all of it, also on one without words.
    const silent = replies.filter(each => !hasWords(each))
    const text = spoken.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'text' ? [part.text] : []))).join('')
    return text.trim() === '' ? [] : [{ seqs: [...spoken, ...silent].map(({ seq }) => seq), text }]
  }
  /** What counts for later: an answer to its end, or what a person cut short and nobody went on with. */
  const answerOf = (turn: TurnId): readonly Words[] =>
    ends.get(turn) === 'done' || (ends.get(turn) === 'cancelled' && !resumed.has(turn)) ? wordsOf(turn) : []
  return { messages: only(past, 'message.received'), starts, ends, wordsOf, answerOf }
}

/** Holds one request against what its voice may know. */
function checkRequest({ events, references, requests }: Outcome, request: DemoRequest): void {
  const { voice, turn: ordinal } = request
  const whose = markOf(voice, ordinal)
  const own = only(events, 'turn.started').filter(event => event.voice === voice)[ordinal - 1]
  const again = requests.slice(0, requests.indexOf(request)).filter(each => markOf(each.voice, each.turn) === whose).length
  const planned = only(events, 'context.planned').filter(({ turn }) => turn === own?.turn)[again]
  assert.ok(own !== undefined && planned !== undefined, `${whose}: a request has a turn and a receipt`)
  assert.deepEqual(marksIn(request.system), [], `${whose}: nobody's words are in the system text`)
  const { receipt } = planned
  const world = worldOf(events, receipt.through)
  const lines = spokenIn(request)
  const quoting = lines.filter(isQuoting)
  const talk = lines.filter(line => !isQuoting(line) && !isNote(line))
  assert.ok(
    quoting.length <= 1 && quoting.every(({ role }) => role === 'user'),
    `${whose}: one reference, and no one's own words`,
  )
  for (const line of talk) assert.equal(marksIn(line.text).length, 1, `${whose}: ${JSON.stringify(line)}`)
  const quoted = quoting.flatMap(({ text }) => marksIn(text))

  const begun = world.wordsOf(own.turn).map(({ seqs: [seq = 0], text }) => ({ seq, word: wordOf({ role: 'assistant', text }) }))

  const marks = new Map(
    only(events, 'message.marked')
      .filter(({ seq }) => seq < own.seq)
      .map(({ target, mark }) => [target, mark]),
  )
  const isExcluded = (seq: number): boolean => marks.get(seq) === 'exclude'

  if (isHouseVoice(voice)) {
    const cause = world.messages.filter(({ seq }) => seq === own.cause).map(({ text }) => wordOf({ role: 'user', text }))
    assert.deepEqual(talk.map(wordOf), [...cause, ...begun.map(({ word }) => word)], `${whose}: the one question`)
    assert.deepEqual(quoted, roundAnswers(world, own.cause, isExcluded), `${whose}: the whole round and nothing else`)
    return
  }

  const isHeard = ({ to }: Of<'message.received'>): boolean => to === undefined || to.includes(voice)
  // What came while it was speaking, and was not in that request, stands after what it said then.
  const earsOf = (seq: number): string => JSON.stringify(world.messages.find(each => each.seq === seq)?.to ?? null)
  const spoken = [...only(events, 'reply.finished'), ...only(events, 'reply.broken')]
    .filter(each => each.seq <= receipt.through)
    .sort((one, other) => one.seq - other.seq)
  const isBlank = (turn: TurnId): boolean => world.ends.get(turn) === 'done' && world.wordsOf(turn).length === 0
  const deafTo = (seq: number): number | undefined =>
    spoken.findLast(({ turn, step, seq: end }) => {
      const asked = only(events, 'context.planned').findLast(each => each.turn === turn && each.step === step && each.seq < end)
      // An answer of blanks is not shown, and what it had not heard is behind it all the same.
      const isWhole = spoken.filter(each => each.turn === turn).length === 1 && (world.answerOf(turn).length > 0 || isBlank(turn))
      if (!isWhole || asked?.receipt.voice !== voice || seq > end) return false
      const { through, inputs } = asked.receipt
      return seq > through || (seq > inputs.cause && earsOf(seq) !== earsOf(inputs.cause))
    })?.seq
  const heard = world.messages.filter(isHeard).map(({ seq, text }) => {
    const after = deafTo(seq)
    return { seq, place: after === undefined ? seq : after + 0.5, word: wordOf({ role: 'user', text }) }
  })
  const answers = (turns: readonly Of<'turn.started'>[]): readonly Words[] =>
    turns.flatMap(({ turn }) => world.answerOf(turn)).filter(({ seqs }) => !seqs.some(isExcluded))
  const said = answers(world.starts.filter(event => event.voice === voice && event.turn !== own.turn))
  const past = inOrder([
    ...heard.filter(({ seq }) => seq < own.cause && !isExcluded(seq)),
    ...said.map(({ seqs: [seq = 0], text }) => ({ seq, word: wordOf({ role: 'assistant', text }) })),
  ])
  // What is said meanwhile to other ears has a turn of its own.
  const isForIt = ({ seq }: { readonly seq: number }): boolean => seq >= own.cause && earsOf(seq) === earsOf(own.cause)
  const now = inOrder([...heard.filter(isForIt), ...begun])

  // The new message stands last, once, with whatever was said since; before it, nothing but its own past, in order.
  const told = talk.map(wordOf)
  assert.deepEqual(told.slice(-now.length), now, `${whose}: what it is to answer`)
  const shown = told.slice(0, -now.length)
  assert.ok(isWithin(shown, past), `${whose} is told ${shown.join(', ')} of ${past.join(', ')}`)
  const isCut = receipt.out.some(({ reason }) => reason === 'out.window' || reason === 'out.budget')
  if (!isCut) assert.deepEqual(shown, past, `${whose}: what is left out is written down`)

  const before = world.starts.filter(event => event.cause < own.cause && !isHouseVoice(event.voice))
  const couldHear = before.filter(({ cause }) => world.messages.some(event => event.seq === cause && isHeard(event)))
  const last = couldHear.reduce((most, { cause }) => Math.max(most, cause), 0)
  const hears = references === 'last-round' && before.some(event => event.voice === voice) && !receipt.ladder.includes('asides')
  const others = couldHear.filter(event => hears && event.cause === last && event.voice !== voice)
  const expected = answers(others).flatMap(({ text }) => marksIn(text))
  // Where the last round, or that the voice ever spoke, was not read, nobody is quoted rather than somebody of an earlier one.
  const { gaps } = receipt.inputs
  const isUnread = gaps.some(({ to }) => to >= last)
  const ownStarts = before.filter(event => event.voice === voice)
  const seemsNew = gaps.some(({ from, to }) => ownStarts.every(({ seq }) => seq >= from && seq <= to))
  // What others said gives way before its own past does, and the receipt says so.
  const hasNoRoom = receipt.out.some(({ reason }) => reason === 'out.budget')
  const mayBeSilent = quoted.length === 0 && (seemsNew || hasNoRoom)
  assert.deepEqual(quoted, isUnread || mayBeSilent ? [] : expected, `${whose}: the last round`)
  if (quoting.length > 0 && begun.length === 0) {
    const [next] = lines.slice(lines.findIndex(isQuoting) + 1).filter(line => !isNote(line))
    assert.equal(next === undefined ? '' : wordOf(next), now[0], `${whose}: the reference stands before the new message`)
  }
}

/** What a round came to: of each voice its last turn, if it was answered to the end. */
const roundAnswers = (
  { starts, ends, answerOf }: ReturnType<typeof worldOf>,
  cause: number,
  isExcluded: (seq: number) => boolean,
): readonly string[] => {
  const turns = starts.filter(event => event.cause === cause && !isHouseVoice(event.voice))
  const latest = turns.filter((event, index) => !turns.slice(index + 1).some(({ voice }) => voice === event.voice))
  return latest.flatMap(({ turn }) =>
    (ends.get(turn) === 'done' ? answerOf(turn) : []).flatMap(({ seqs, text }) => (seqs.some(isExcluded) ? [] : marksIn(text))),
  )
}

const inOrder = (words: readonly { readonly seq: number; readonly place?: number; readonly word: string }[]): readonly string[] =>
  words.toSorted((a, b) => (a.place ?? a.seq) - (b.place ?? b.seq)).map(({ word }) => word)

/** Whether some of a row are left, in its order. */
function isWithin(some: readonly string[], row: readonly string[]): boolean {
  let from = 0
  return some.every(each => {
    const found = row.indexOf(each, from)
    from = found + 1
    return found !== -1
  })
}

function check(outcome: Outcome): void {
  for (const request of outcome.requests) checkRequest(outcome, request)
  for (const verdict of outcome.verdicts) assert.equal(verdict, 'identical')
  assert.equal(outcome.verdicts.length, outcome.requests.length, 'every request has its receipt')
}

test('whatever people do with a council, each voice knows its own past, the person, and of the others the last round alone', async () => {
  await fc.assert(
    fc.asyncProperty(playable, async play => check(await act(play))),
    { ...tries(250), endOnFailure: true },
  )
})

test('an answer is left out whole when the silent end of it is excluded', async () => {
  const play: Play = {
    advisors: [{ name: 'ada', active: true, policy: 'narrow' }],
    council: { references: 'none', early: { turns: 1 } },
    policy: 'narrow',
    resume: 'auto',
    moods: ['waits', 'is silent', 'fails', 'answers', 'is blank', 'answers', 'fails'],
    steps: [
      { does: 'change policy', policy: 'script' },
      { does: 'say', by: 'mention', to: [12], synthesis: 'memo' },
      { does: 'mark', at: 13, mark: 'exclude' },
      { does: 'restart', isKept: true },
      { does: 'mark', at: 17, mark: 'exclude' },
      { does: 'cancel', turn: 3 },
      { does: 'restart', isKept: false },
      { does: 'say', by: 'id' },
    ],
  }
  check(await act(play))
})

test('what an answer of blanks had not heard is behind it, though it is not shown', async () => {
  const play: Play = {
    advisors: [
      { name: 'ada', active: true },
      { name: 'Bo', active: true, policy: 'tiny' },
      { name: 'v1', active: true, policy: 'full' },
      { name: 'v1', active: true, policy: 'full' },
    ],
    council: { references: 'last-round', early: { turns: 2 } },
    policy: 'steady',
    resume: 'ask',
    moods: ['waits', 'is blank'],
    steps: [
      { does: 'restart', isKept: true },
      { does: 'change policy', policy: 'last one' },
      { does: 'say', by: 'id', to: [12, 18], synthesis: 'memo' },
      { does: 'say', by: 'mention', to: [30], synthesis: 'positions' },
      { does: 'cancel', turn: 3 },
      { does: 'say', by: 'id', to: [2], synthesis: 'memo' },
      { does: 'say', by: 'mention', to: [15, 24], synthesis: 'memo' },
      { does: 'say', by: 'id' },
    ],
  }
  check(await act(play))
})

const MOODS: readonly Mood[] = ['answers', 'thinks', 'breaks', 'answers']
const toEverybody: Step = { does: 'say', by: 'id' }
const usual: Play = {
  advisors: ['Ada', 'Bo', 'Cy'].map(name => ({ name, active: true })),
  council: { references: 'last-round', early: { turns: 0 } },
  policy: 'council',
  resume: 'auto',
  moods: [...MOODS, ...Array.from({ length: 20 }, () => 'answers' as const)],
  steps: [toEverybody, { does: 'say', by: 'id', to: [1] }, toEverybody, { does: 'synthesize', mode: 'brief' }, toEverybody],
}

type Lie = (event: Recorded, events: readonly Recorded[]) => Recorded

/** A log that tells contexts something else than everybody else. */
const lying =
  (lie: Lie) =>
  (log: Log): Log => ({
    ...log,
    past: async (id, want) => {
      const past = await log.past(id, want)
      if (!past.ok) return past
      return { ok: true, value: { ...past.value, events: past.value.events.map(event => lie(event, past.value.events)) } }
    },
  })

const LIES: Readonly<Record<string, Lie>> = {
  'another voice said it': event => (event.type === 'turn.started' && event.voice === 'v2' ? { ...event, voice: 'v1' } : event),
  'it was said in the last round': (event, events) => {
    const [, , third] = only(events, 'message.received')
    return event.type === 'turn.started' && event.cause === 1 && third !== undefined ? { ...event, cause: third.seq } : event
  },
  'what failed was an answer': event => {
    if (event.type === 'turn.ended') return { ...event, reason: 'done' }
    return event.type === 'reply.broken' ? { ...event, type: 'reply.finished' } : event
  },
  'a thought was spoken': event =>
    event.type === 'reply.finished'
      ? { ...event, parts: event.parts.map(part => (part.type === 'think' ? { type: 'text', text: part.text } : part)) }
      : event,
  'it was for everybody': event => (event.type === 'message.received' ? { ...event, to: ['v1', 'v2', 'v3', SYNTHESIS] } : event),
  'the house is an advisor': event =>
    event.type === 'turn.started' && event.voice === SYNTHESIS ? { ...event, voice: 'v9' } : event,
  'a person said it again': (event, events) => {
    const [first] = only(events, 'message.received')
    return event.type === 'message.received' && first !== undefined ? { ...event, text: first.text } : event
  },
}

test('a projection that is not told the truth is found out, whatever the lie is about', async () => {
  check(await act(usual))
  for (const [about, lie] of Object.entries(LIES)) {
    const outcome = await act(usual, lying(lie))
    assert.throws(() => check(outcome), assert.AssertionError, about)
  }
})

test('one who talks without end shortens the past of nobody else', async () => {
  const talk = Array.from({ length: 10_000 }, () => 'word').join(' ')
  const provider = stand(({ voice, turn }) => says(voice === 'talker' ? talk : markOf(voice, turn)))
  const board = await boardOf(councilOf([advisor('ada'), advisor('talker'), advisor('bo')]), {
    provider,
    models: { demo: { window: 16_000 } },
  })
  const rounds = Array.from({ length: 8 }, (_, index) => `message ${index + 1}`)
  for (const text of rounds) await round(board, text)
  const events = await eventsOf(board.engine, board.session)
  for (const voice of ['ada', 'bo']) {
    const request = provider.requests.findLast(each => each.voice === voice)
    assert.ok(request)
    const own = linesOf(request).filter(line => line.startsWith('assistant: '))
    assert.deepEqual(
      own,
      rounds.slice(1).map((_, index) => `assistant: ${markOf(voice, index + 1)}`),
    )
    for (const text of rounds)
      assert.ok(
        linesOf(request).some(line => line.endsWith(`] ${text}`)),
        text,
      )
    const turn = only(events, 'turn.started').findLast(each => each.voice === voice)?.turn
    const { receipt } = last(
      events.filter(event => event.type !== 'context.planned' || event.turn === turn),
      'context.planned',
    )
    const history = receipt.in.filter(({ reason }) => reason === 'recent.window')
    assert.equal(
      history.reduce((sum, { count = 0 }) => sum + count, 0),
      14,
      'seven messages and seven answers',
    )
    assert.deepEqual(
      receipt.out.map(({ reason }) => reason),
      ['out.other-voice'],
      'nothing but the others is left out',
    )
  }
  const talker = provider.requests.findLast(each => each.voice === 'talker')
  const own = talker === undefined ? [] : linesOf(talker).filter(line => line.startsWith('assistant: '))
  assert.ok(
    own.length > 0 && own.every(line => /\[… [\d,]+ words, about [\d,]+ tokens, not shown …\]/.test(line)),
    'of its own past it sees parts',
  )
})

test('a past that is not read whole makes no foreign word one of its own', async () => {
  const outcome = await act({
    ...usual,
    advisors: ['Ada', 'Bo', 'Cy', 'Dee'].map(name => ({ name, active: true })),
    // It reads 48 of the messages a voice heard and said.
    policy: 'transcript',
    moods: ['answers'],
    steps: Array.from({ length: 28 }, () => toEverybody),
  })
  check(outcome)
  const cuts = only(outcome.events, 'context.planned').flatMap(({ receipt }) => receipt.inputs.gaps.map(({ to }) => to))
  assert.ok(cuts.length >= 4, 'something was left unread')
})

test('a pinned word of long ago is never taken for the last round, which is found behind what was said to another', async () => {
  const toBo: Step = { does: 'say', by: 'id', to: [1] }
  const outcome = await act({
    ...usual,
    advisors: ['Ada', 'Bo'].map(name => ({ name, active: true })),
    policy: 'nothing',
    moods: ['answers'],
    steps: [
      toEverybody,
      { does: 'mark', at: 1, mark: 'pin' },
      { does: 'mark', at: 2, mark: 'pin' },
      toEverybody,
      ...Array.from({ length: 12 }, () => toBo),
      toEverybody,
    ],
  })
  check(outcome)
  const request = outcome.requests.findLast(({ voice }) => voice === 'v1')
  const quoted = request === undefined ? [] : spokenIn(request).filter(isQuoting)
  assert.deepEqual(
    quoted.flatMap(({ text }) => marksIn(text)),
    [markOf('v2', 2)],
  )
})

test('an answer that was cut off, gone on with and then failed is no answer later', async () => {
  const outcome = await act({
    ...usual,
    moods: ['waits', 'answers', 'answers', 'breaks', ...Array.from({ length: 9 }, () => 'answers' as const)],
    steps: [toEverybody, { does: 'restart', isKept: true }, toEverybody, toEverybody],
  })
  check(outcome)
  assert.ok(
    outcome.requests.some(request => spokenIn(request).some(({ text }) => text.startsWith(CUT_OFF))),
    'it was gone on with',
  )
  assert.equal(only(outcome.events, 'turn.ended').filter(({ reason }) => reason === 'failed').length, 1)
})

test('what the house makes of a round is made of that round alone, whatever a person pinned', async () => {
  const summed: Step = { does: 'say', by: 'id', synthesis: 'brief' }
  const pins = [0, 1, 4].map((each): Step => ({ does: 'mark', at: each, mark: 'pin' }))
  const outcome = await act({ ...usual, moods: ['answers'], steps: [summed, ...pins, { ...summed, to: [1] }, summed] })
  check(outcome)
  assert.equal(outcome.requests.filter(({ voice }) => voice === SYNTHESIS).length, 3)
})

test('an answer that a person left out is out also for those who were asked before it came', async () => {
  const outcome = await act({
    ...usual,
    advisors: ['Ada', 'Bo'].map(name => ({ name, active: true })),
    moods: ['waits', 'waits', ...Array.from({ length: 6 }, () => 'answers' as const)],
    steps: [
      toEverybody,
      toEverybody,
      { does: 'let one speak', at: 1 },
      { does: 'mark', at: 2, mark: 'exclude' },
      { does: 'let speak' },
    ],
  })
  check(outcome)
  assert.equal(only(outcome.events, 'message.marked').length, 1)
  const request = outcome.requests.find(({ voice, turn }) => voice === 'v1' && turn === 2)
  assert.ok(request !== undefined && !spokenIn(request).some(isQuoting))
})
