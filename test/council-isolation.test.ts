import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { type Engine, type House, type Log, memoryLog, presets, weigh } from '../src/engine.ts'
import { type Advisor, type Council, isHouseVoice, SYNTHESIS, SYNTHESIS_MODES, type SynthesisMode } from '../src/model/council.ts'
import type { Delta } from '../src/model/delta.ts'
import type { Mark, Recorded } from '../src/model/event.ts'
import { fault } from '../src/model/fault.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import type { Policy } from '../src/model/policy.ts'
import type { DemoRequest } from '../src/provider/demo-wire.ts'
import { says } from '../src/testing/scripted.ts'
import { advisor, boardOf, councilOf, linesOf, openIn, round, type Stand, stand } from './support/council.ts'
import { engineWith, eventsOf, gate } from './support/engine.ts'
import { tries } from './support/tries.ts'

/** How an advisor takes a message. */
type Mood = 'answers' | 'thinks' | 'waits' | 'fails' | 'breaks' | 'is silent' | 'is blank'

/** What people do with a council; numbers are places, counted round whatever there is. */
type Step =
  | { readonly does: 'say'; readonly to?: readonly number[]; readonly by: 'id' | 'mention'; readonly synthesis?: SynthesisMode }
  | { readonly does: 'exchange'; readonly rounds: number }
  | { readonly does: 'synthesize'; readonly mode: SynthesisMode; readonly round?: number }
  | { readonly does: 'resume'; readonly turn?: number }
  | { readonly does: 'cancel'; readonly turn?: number }
  | { readonly does: 'let speak' | 'restart' | 'reorder' }
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
  { ...presets.council, name: 'narrow', window: { kind: 'all' }, budget: { tokens: 130, reserve: 100 } },
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
  active: fc.boolean().map(isHidden => !isHidden || true),
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
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('let speak' as const, 'restart' as const, 'reorder' as const) }) },
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
const moods: readonly Mood[] = ['answers', 'answers', 'answers', 'thinks', 'waits', 'fails', 'breaks', 'is silent', 'is blank']
const playable: fc.Arbitrary<Play> = fc.record({
  advisors: fc.array(seat, { minLength: 1, maxLength: 6 }),
  council: fc.record({
    references: fc.constantFrom('last-round' as const, 'last-round' as const, 'none' as const),
    early: fc.record({ turns: fc.nat(3) }),
  }),
  policy: policyName,
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
async function act({ advisors, council, policy, moods: given, steps }: Play, seen = (log: Log): Log => log): Promise<Outcome> {
  const log = memoryLog({ clock: Date.now, weigh })
  let held: ReturnType<typeof gate>[] = []
  const lost: ReturnType<typeof gate>[] = []
  let asked = 0
  async function* waiting(voice: string, turn: number, signal: AbortSignal): AsyncGenerator<Delta> {
    const hold = gate()
    held.push(hold)
    yield { type: 'text', text: markOf(voice, turn) }
    await Promise.race([hold.passed, new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))])
    yield { type: 'done' }
  }
  const provider = stand(({ voice, turn }, signal) => {
    const mood = at(given, asked++) ?? 'answers'
    const mark = markOf(voice, turn)
    const failure: Delta = { type: 'fault', fault: fault('rejected', 'not today') }
    if (mood === 'waits') return waiting(voice, turn, signal)
    if (mood === 'fails') return [failure]
    if (mood === 'breaks') return [{ type: 'think', text: thoughtOf(voice, turn) }, { type: 'text', text: mark }, failure]
    if (mood === 'is silent') return [{ type: 'done' }]
    if (mood === 'is blank') return says(' \n')
    return [...(mood === 'thinks' ? [{ type: 'think', text: thoughtOf(voice, turn) } as const] : []), ...says(mark)]
  })
  const seats = { council: councilOf(advisors.map((each, index) => seated(each, `v${index + 1}`)), council) }
  let born = advisors.length
  const started = (): Engine =>
    engineWith({
      log: seen(log),
      provider,
      house,
      policies: POLICIES,
      councils: () => [seats.council],
      limits: { historyMs: 60_000 },
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
      case 'restart':
        // Whoever spoke then never ends for the engine that is gone.
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
  for await (const { verdict, detail } of engine.verify(session)) verdicts.push(detail === undefined ? verdict : `${verdict}: ${detail}`)
  for (const hold of lost) hold.open()
  return { references: council.references, events: happened, requests: provider.requests, verdicts }
}

type Line = { readonly role: 'user' | 'assistant'; readonly text: string }

/** What stands in a request, line by line; a transcript is read as what it tells of. */
const spokenIn = ({ messages }: DemoRequest): readonly Line[] =>
  messages.flatMap(({ role, blocks }) =>
    blocks.flatMap(block => {
      assert.ok(block.type === 'text', `nothing but text: ${block.type}`)
      const isTold = role === 'user' && block.text.startsWith('=== HISTORY ===')
      return isTold ? block.text.split(/\n\n(?=\$(?:user|respond): )/).slice(1).map(toldLine) : [{ role, text: block.text }]
    }),
  )

const toldLine = (text: string): Line => ({ role: text.startsWith('$respond: ') ? 'assistant' : 'user', text })

const REFERENCE = "[For reference, here's what the other perspectives said last turn:\n\n"
const ROUND = '[This is what the advisors answered:\n\n'
const EXCHANGE_MARK = '[A word from the house:'
const isNote = ({ text }: Line): boolean =>
  /^\[(?:Turn \d+ of \d+|\d+ earlier messages? (?:is|are) not shown\.|Session context: \d+ earlier messages omitted)\]$/.test(text)
const isQuoting = (line: Line): boolean => line.text.startsWith(REFERENCE) || line.text.startsWith(ROUND)

/** Whose words these are; the house's own message to an exchange has no number. */
const marksIn = (text: string): readonly string[] =>
  text.includes(EXCHANGE_MARK) ? [EXCHANGE_MARK] : (text.match(/«[^»]+»/g) ?? [])

const wordOf = ({ role, text }: Line): string => `${role} ${marksIn(text).join(' ')}`

type Of<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>
const only = <Type extends Recorded['type']>(events: readonly Recorded[], type: Type): readonly Of<Type>[] =>
  events.filter((event): event is Of<Type> => event.type === type)

/** What had happened when a request was made: all that it may tell of. */
function worldOf(events: readonly Recorded[], through: number) {
  const past = events.filter(({ seq }) => seq <= through)
  const ends = new Map(only(past, 'turn.ended').map(({ turn, reason }) => [turn, reason]))
  const starts = only(past, 'turn.started')
  const resumed = new Set(starts.flatMap(({ resumes }) => resumes ?? []))
  /** What of a turn counts: an answer to its end, or what a person cut short and nobody went on with. */
  const wordsOf = (turn: TurnId): readonly { readonly seq: number; readonly mark: string }[] =>
    past.flatMap(event => {
      if ((event.type !== 'reply.finished' && event.type !== 'reply.broken') || event.turn !== turn) return []
      const reason = ends.get(turn)
      const counts = event.type === 'reply.finished' ? reason === 'done' : reason === 'cancelled' && !resumed.has(turn)
      const text = event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
      return counts && text.trim() !== '' ? [{ seq: event.seq, mark: text }] : []
    })
  return { messages: only(past, 'message.received'), starts, ends, wordsOf }
}

/** Holds one request against what its voice may know. */
function checkRequest({ events, references }: Outcome, request: DemoRequest): void {
  const { voice, turn: ordinal } = request
  const whose = markOf(voice, ordinal)
  const own = only(events, 'turn.started').filter(event => event.voice === voice)[ordinal - 1]
  const planned = only(events, 'context.planned').find(({ turn }) => turn === own?.turn)
  assert.ok(own !== undefined && planned !== undefined, `${whose}: a request has a turn and a receipt`)
  assert.deepEqual(marksIn(request.system), [], `${whose}: nobody's words are in the system text`)
  const { receipt } = planned
  const world = worldOf(events, receipt.through)
  const lines = spokenIn(request)
  const quoting = lines.filter(isQuoting)
  const talk = lines.filter(line => !isQuoting(line) && !isNote(line))
  assert.ok(quoting.length <= 1 && quoting.every(({ role }) => role === 'user'), `${whose}: one reference, and no one's own words`)
  for (const line of talk) assert.equal(marksIn(line.text).length, 1, `${whose}: ${JSON.stringify(line)}`)
  const quoted = quoting.flatMap(({ text }) => marksIn(text))

  if (isHouseVoice(voice)) {
    const cause = world.messages.filter(({ seq }) => seq === own.cause)
    assert.deepEqual(talk.map(wordOf), cause.map(({ text }) => wordOf({ role: 'user', text })), `${whose}: the one question`)
    assert.deepEqual(quoted, roundAnswers(world, own.cause), `${whose}: the whole round and nothing else`)
    return
  }

  const isHeard = ({ to }: Of<'message.received'>): boolean => to === undefined || to.includes(voice)
  const marks = new Map(
    only(events, 'message.marked')
      .filter(({ seq }) => seq < own.seq)
      .map(({ target, mark }) => [target, mark]),
  )
  const isExcluded = ({ seq }: { readonly seq: number }): boolean => marks.get(seq) === 'exclude'
  const heard = world.messages.filter(isHeard).map(({ seq, text }) => ({ seq, word: wordOf({ role: 'user', text }) }))
  const said = world.starts
    .filter(event => event.voice === voice && event.turn !== own.turn)
    .flatMap(({ turn }) => world.wordsOf(turn).map(({ seq, mark }) => ({ seq, word: wordOf({ role: 'assistant', text: mark }) })))
  const past = [...heard.filter(({ seq }) => seq < own.cause), ...said]
    .filter(each => !isExcluded(each))
    .sort((a, b) => a.seq - b.seq)
    .map(({ word }) => word)
  const now = heard.filter(({ seq }) => seq >= own.cause).map(({ word }) => word)

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
  const expected = others.flatMap(({ turn }) => world.wordsOf(turn).filter(each => !isExcluded(each)).map(({ mark }) => mark))
  assert.deepEqual(quoted, expected, `${whose}: the last round`)
  if (quoting.length > 0) {
    const [next] = lines.slice(lines.findIndex(isQuoting) + 1).filter(line => !isNote(line))
    assert.equal(next === undefined ? '' : wordOf(next), now[0], `${whose}: the reference stands before the new message`)
  }
}

/** What a round came to: of each voice its last turn, if it was answered to the end. */
const roundAnswers = ({ starts, ends, wordsOf }: ReturnType<typeof worldOf>, cause: number): readonly string[] => {
  const turns = starts.filter(event => event.cause === cause && !isHouseVoice(event.voice))
  const latest = turns.filter((event, index) => !turns.slice(index + 1).some(({ voice }) => voice === event.voice))
  return latest.flatMap(({ turn }) => (ends.get(turn) === 'done' ? wordsOf(turn).map(({ mark }) => mark) : []))
}

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
    { ...tries(1000), endOnFailure: true },
  )
})
