import { createEngine, memoryLog, weigh } from '../src/index.ts'
import type { Delta } from '../src/model/message/delta.ts'
import type { Message, Plan } from '../src/model/plan.ts'
import type { Provider } from '../src/model/provider.ts'
import type { Advisor, Council } from '../src/model/settings/council.ts'
import type { VoiceId } from '../src/model/voice.ts'
import { anthropicWire } from '../src/provider/anthropic/encode.ts'
import { type Bill, billsOf, blocksOf, type Count, tokensOf, unitsOf } from './billing.ts'
import { generated, spokenOf, TALK } from './conversations.ts'
import { markdown, sure } from './measure.ts'

/** What the requests of one advisor, or of all, are billed. */
export type Cost = {
  readonly who: string
  /** As sent: which turn it is stands in a note beside the new message. */
  readonly note: Billed
  /** The same rounds with the number in the system text. */
  readonly system: Billed
  readonly ratio: number
  /** The same, where whoever sends the other marks nothing: a cache that is never read only costs. */
  readonly ratioUnmarked: number
}
export type Billed = { readonly units: number; readonly tokens: number; readonly cachedShare: number }

const EARLY_TURNS = 3
const NOON = Date.UTC(2026, 0, 1, 12)
const MINUTE_MS = 60_000
/** Five who would differ, each told about itself in a few sentences, as people write such things. */
const ADVISORS: Readonly<Record<string, string>> = {
  Bookkeeper:
    'You have seen forty small firms from the side of their accounts. You look at cash first and distrust every plan in which money arrives on time. You speak dryly and in numbers.',
  Shipwright:
    'You build things that must hold. You ask what breaks first, and what it costs to mend it at sea. You distrust whatever was never tried with a full load. You speak slowly and plainly.',
  Teacher:
    'You have watched people learn for thirty years. You look at who has to change their habits for a plan to work, and whether anybody asked them. You speak warmly and do not flatter.',
  Gardener:
    'You think in seasons. You look at what grows by itself and what has to be kept alive by force. You distrust hurry, and you speak in small pictures from your work.',
  Advocate:
    'You take the side of whoever is not in the room: the customer, the neighbour, the one who pays later. You look for the promise nobody can keep. You speak sharply and fairly.',
}

/** The bills of one conversation of a council, all rounds through the engine itself; the same in every run. */
export async function costsOf(rounds: number, count: Count): Promise<readonly Cost[]> {
  const plans = await planned(rounds)
  const note = billed(plans, count)
  const system = billed(plans.map(numberedInSystem), count)
  const voices = [...new Set(plans.map(({ voice }) => voice))]
  const bills = (all: readonly Voiced[], voice: VoiceId): readonly Bill[] =>
    all.flatMap(each => (each.voice === voice ? [each.bill] : []))
  const costs = voices.map(voice => costOf(voice, bills(note, voice), bills(system, voice)))
  const all = costOf(
    'all',
    note.map(({ bill }) => bill),
    system.map(({ bill }) => bill),
  )
  return [...costs, all]
}

export const costTable = (costs: readonly Cost[]): readonly string[] =>
  markdown(
    ['billed units', 'note at the tail', 'cached', 'number in the system text', 'cached', 'note ÷ system', 'nothing marked'],
    costs.map(({ who, note, system, ratio, ratioUnmarked }) => [
      who,
      Math.round(note.units).toLocaleString('en'),
      `${(note.cachedShare * 100).toFixed(1)} %`,
      Math.round(system.units).toLocaleString('en'),
      `${(system.cachedShare * 100).toFixed(1)} %`,
      ratio.toFixed(2),
      ratioUnmarked.toFixed(2),
    ]),
  )

const council: Council = {
  key: 'board',
  name: 'Board',
  advisors: Object.entries(ADVISORS).map(
    ([name, description]): Advisor => ({ id: name.toLowerCase(), name, description, color: '#0072b2', active: true }),
  ),
  references: 'last-round',
  early: { turns: EARLY_TURNS },
}

/** Every request of every round, as the engine made it for Anthropic's API; rounds are a minute apart. */
async function planned(rounds: number): Promise<readonly Plan[]> {
  const plans: Plan[] = []
  const { heard, answers } = wordsFor(rounds)
  /** Requests are told apart by their bytes: no two advisors send the same. */
  const replies = new Map<string, string>()
  const provider: Provider = {
    wire: {
      ...anthropicWire,
      encode: (plan, files) => {
        const encoded = anthropicWire.encode(plan, files)
        plans.push(plan)
        replies.set(encoded.body, answers.get(plan.voice)?.[plan.ordinal - 1] ?? '')
        return encoded
      },
    },
    async *speak({ body }): AsyncGenerator<Delta> {
      yield { type: 'text', text: replies.get(body) ?? '' }
      yield { type: 'done' }
    },
  }
  let now = NOON
  const log = memoryLog({ clock: () => now, weigh })
  const engine = createEngine({ log, provider, model: 'demo', clock: () => now, councils: () => [council] })
  const { id } = sure(await engine.open({ council: council.key }))
  for (const text of heard) {
    const reading = new AbortController()
    const signals = engine.follow(id, sure(await log.standing(id)).head, reading.signal)
    sure(await engine.say({ session: id, text, from: 'person' }))
    let ended = 0
    for await (const signal of signals) {
      if (signal.type !== 'event' || signal.event.type !== 'turn.ended') continue
      if (signal.event.reason !== 'done') throw new Error(`the turn ended: ${signal.event.fault?.message}`)
      ended += 1
      if (ended === council.advisors.length) break
    }
    reading.abort()
    now += MINUTE_MS
  }
  await engine.close()
  // They ask side by side; the order of their answers is of no matter to what each is billed.
  return plans.toSorted((a, b) => a.ordinal - b.ordinal || a.voice.localeCompare(b.voice, 'en'))
}

type Words = { readonly heard: readonly string[]; readonly answers: ReadonlyMap<VoiceId, readonly string[]> }

/** What is said: first a short question from each, then two to four paragraphs. */
function wordsFor(rounds: number): Words {
  const voices = council.advisors.map(({ id }) => id)
  const shape = { ...TALK, heard: 60, answer: 240, toolShare: 0 }
  const conversation = generated({ shape, seed: 5, until: { messages: rounds * voices.length * 2 }, voices })
  const spoken = spokenOf(conversation)
  const said = spoken.flatMap(({ role, text }) => (role === 'assistant' ? [text] : []))
  const inRound = (text: string, round: number): string =>
    round < EARLY_TURNS ? `${text.split(' ').slice(0, 14).join(' ')}?` : text
  return {
    heard: spoken.flatMap(({ role, text }) => (role === 'user' ? [text] : [])),
    answers: new Map(
      voices.map((voice, index) => [
        voice,
        said.filter((_, at) => at % voices.length === index).map((text, round) => inRound(text, round)),
      ]),
    ),
  }
}

/** The same request as it would be if the system text said which turn this is, and no note did. */
function numberedInSystem(plan: Plan): Plan {
  const { ordinal, system } = plan
  const number = ordinal > EARLY_TURNS ? `Turn ${ordinal}` : `Turn ${ordinal} of ${EARLY_TURNS}`
  const numbered = system.replace(PHASE_HEADING, heading => `${heading} (${number})`)
  if (numbered === system) throw new Error('no phase stands in the system text')
  return { ...plan, system: numbered, messages: plan.messages.filter(message => !isTurnNote(message)) }
}

const PHASE_HEADING = /^## (For now|Now): .*$/m

const isTurnNote = ({ role, blocks: [only, ...more] }: Message): boolean =>
  role === 'user' && more.length === 0 && only?.type === 'text' && /^\[Turn \d+ of \d+\]$/.test(only.text)

type Voiced = { readonly voice: VoiceId; readonly bill: Bill }

function billed(plans: readonly Plan[], count: Count): readonly Voiced[] {
  const bills = [...billsOf(plans.map(plan => blocksOf(anthropicWire.encode(plan).body, count)))]
  return bills.map((bill, index) => ({ voice: plans[index]?.voice ?? '', bill }))
}

function costOf(who: string, note: readonly Bill[], system: readonly Bill[]): Cost {
  const [ours, theirs] = [totalOf(note), totalOf(system)]
  return { who, note: ours, system: theirs, ratio: ours.units / theirs.units, ratioUnmarked: ours.units / theirs.tokens }
}

function totalOf(bills: readonly Bill[]): Billed {
  const total = (of: (bill: Bill) => number): number => bills.reduce((sum, bill) => sum + of(bill), 0)
  const tokens = total(tokensOf)
  return { units: total(unitsOf), tokens, cachedShare: total(({ read }) => read) / tokens }
}
