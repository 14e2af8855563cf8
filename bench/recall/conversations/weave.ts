// Weaves a story into small talk: scenes on their days, talk around and between them, and questions with their evidence.
import type { Chance } from '../../conversations.ts'
import type { Message, Question, RecallConversation } from '../conversation.ts'
import { type Line, oneOf, type Scene, type Story } from './script.ts'

/** Makes small talk: the lines of one scene. */
export type Chatter = (chance: Chance) => readonly Line[]

export type Weaving = {
  readonly id: string
  readonly story: Story
  readonly chatter: Chatter
  /** About how many messages there shall be. */
  readonly messages: number
  readonly chance: Chance
  /** Who is the user; every other author is the assistant. */
  readonly users: readonly string[]
  /** Whether each text begins with the name of its author. */
  readonly isNamed: boolean
  /** Puts a sentence into a long answer. */
  readonly longAnswer?: (line: Line, chance: Chance) => string
}

type Dated = { readonly day: number; readonly order: number; readonly lines: readonly Line[] }

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** No pause of hours begins after this time of day. */
const LATE = 20 * 60 * MINUTE
/** Minutes between two messages of a scene. */
const [LEAST_BETWEEN, MOST_BETWEEN] = [0.4, 3]
/** Evidence lies in this part of the days, so that the last messages never answer a question. */
const [EARLIEST, LATEST] = [0.02, 0.88]

export function weave(weaving: Weaving): RecallConversation {
  const { id, story, chance } = weaving
  const messages: Message[] = []
  const byKey = new Map<string, { readonly message: Message; readonly line: Line }>()
  for (const { lines, begins } of timed(scenesOf(weaving), story, chance)) {
    let time = begins
    for (const line of lines) {
      time += Math.round((LEAST_BETWEEN + (MOST_BETWEEN - LEAST_BETWEEN) * chance()) * MINUTE)
      const message = messageOf(weaving, line, messages.length, time)
      messages.push(message)
      if (line.key === null) continue
      if (byKey.has(line.key)) throw new Error(`${id}: two lines are called ${line.key}`)
      byKey.set(line.key, { message, line })
    }
  }
  const questions = story.questions.map(({ category, text, keys }, index): Question => {
    const evidence = keys.map(key => {
      const found = byKey.get(key)
      if (found === undefined) throw new Error(`${id}: no line is called ${key}`)
      return found
    })
    const long = evidence.filter(({ line }) => line.topic !== null)
    const passages = Object.fromEntries(long.map(({ message, line }) => [message.id, line.text]))
    return {
      ...{
        id: `${id}/q${String(index + 1).padStart(2, '0')}`,
        text,
        evidence: evidence.map(({ message }) => message.id),
        category,
      },
      ...(long.length === 0 ? {} : { passages }),
    }
  })
  return { id, messages, questions }
}

/** The scenes of the story and as much small talk as is missing, by day. */
function scenesOf({ story, chatter, messages, chance }: Weaving): readonly Dated[] {
  const { days, scenes } = story
  const anyDay = (from: number, to: number): number => Math.floor((from + (to - from) * chance()) * days)
  const told = scenes.map(({ day, lines }: Scene, order): Dated => {
    const chosen = day ?? anyDay(EARLIEST, LATEST)
    if (chosen > LATEST * days + 1) throw new Error(`a scene on day ${chosen} of ${days} is too late`)
    return { day: chosen, order, lines }
  })
  let missing = messages - told.reduce((sum, { lines }) => sum + lines.length, 0)
  const talk: Dated[] = []
  while (missing > 0) {
    const lines = chatter(chance)
    // Much is said around what matters, so that evidence is not alone in its sitting.
    const day = talk.length < 8 ? anyDay(0.95, 1) : chance() < 0.4 ? oneOf(told, chance).day : anyDay(0, 1)
    talk.push({ day, order: chance() * scenes.length, lines })
    missing -= lines.length
  }
  return [...told, ...talk].sort((a, b) => a.day - b.day || a.order - b.order)
}

/** One or two sittings a day: people begin in the morning and pause between scenes, for hours if the day has room for it. */
function timed(scenes: readonly Dated[], { from }: Story, chance: Chance): readonly { lines: readonly Line[]; begins: number }[] {
  const first = Date.parse(from)
  let [today, time] = [-1, first]
  return scenes.map(({ day, lines }) => {
    const midnight = first + day * DAY
    const long = Math.round(250 + 120 * chance()) * MINUTE
    const short = Math.round(4 + 26 * chance()) * MINUTE
    if (day !== today) time = midnight + Math.round((7 + 6 * chance()) * 60) * MINUTE
    else time += chance() < 0.3 && time + long < midnight + LATE ? long : time + short < midnight + LATE ? short : MINUTE
    today = day
    const begins = time
    time += MOST_BETWEEN * lines.length * MINUTE
    if (time >= midnight + DAY) throw new Error(`more is said on day ${day} than fits into it`)
    return { lines, begins }
  })
}

function messageOf({ id, story, users, isNamed, longAnswer, chance }: Weaving, line: Line, index: number, time: number): Message {
  const words = line.topic === null || longAnswer === undefined ? line.text : longAnswer(line, chance)
  const name = story.people.get(line.author)
  if (name === undefined) throw new Error(`${id}: nobody is called ${line.author}`)
  return {
    id: `${id}/m${String(index + 1).padStart(4, '0')}`,
    role: users.includes(line.author) ? 'user' : 'assistant',
    text: isNamed ? `${name}: ${words}` : words,
    time: new Date(time).toISOString(),
  }
}
