/** What the demo model says for titles, syntheses and suggested advisors. */
import type { Message } from '../../model/plan.ts'
import { SUGGESTION, SYNTHESIS, TITLE } from '../../model/settings/council.ts'
import type { DemoRequest } from './wire.ts'

/** What the demo model says when it speaks for the house. Returns undefined for a voice of the conversation. */
export function houseWords({ voice, messages }: DemoRequest, asked: string): string | undefined {
  if (voice === SYNTHESIS) return synthesis(answersIn(messages))
  if (voice === TITLE) return title(messages)
  return voice === SUGGESTION ? suggestion(asked) : undefined
}

type Answer = { readonly label: string; readonly text: string }

function synthesis(answers: readonly Answer[]): string {
  if (answers.length === 0) return 'This synthesis is scripted, and I see no answers that it could be made of.'
  const sentences = answers.map(({ label, text }) => {
    const quote = firstSentence(text)
    return quote === '' ? `${label} said nothing. [${label}]` : `${label} begins with these words. [${label}: "${quote}"]`
  })
  const all = answers.map(({ label }) => label).join('; ')
  return [`This synthesis is scripted: the demo model only repeats how each answer begins. [${all}]`, ...sentences].join('\n\n')
}

const OPENING = '[This is what the advisors answered:\n\n'
/** A paragraph that begins like a name counts as the next advisor's answer, because nothing else marks where one ends. */
const BETWEEN = /\n\n(?=[^\n:;"“”[\]]{1,120}: )/

function answersIn(messages: readonly Message[]): readonly Answer[] {
  const texts = messages.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])))
  const round = texts.findLast(text => text.startsWith(OPENING))?.slice(OPENING.length, -1) ?? ''
  return round.split(BETWEEN).flatMap(block => {
    const colon = block.indexOf(': ')
    return colon < 1 ? [] : [{ label: block.slice(0, colon), text: block.slice(colon + 2) }]
  })
}

const MOST_QUOTED = 160

/** Quotes become curly, which still counts as literal, so that none of them seems to end the quote around it. */
function firstSentence(text: string): string {
  const [line = ''] = text.trim().split('\n')
  const sentence = /^.*?[.!?…]+["'”’»)]*(?=\s|$)/u.exec(line)?.[0] ?? line
  return [...sentence.replaceAll('"', '”')].slice(0, MOST_QUOTED).join('').trim()
}

const BEGINNING = /^\[This is how the conversation begins:\n\nThe person: ([\s\S]*?)\n\nThe answer: /
const TITLE_WORDS = 6

/** The title is the beginning of the first message, because a script has no better idea of the topic. */
function title(messages: readonly Message[]): string {
  const texts = messages.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])))
  const message = texts.map(text => BEGINNING.exec(text)?.[1]).find(found => found !== undefined) ?? ''
  const [first = '', ...rest] = message.trim().split(/\s+/).slice(0, TITLE_WORDS).join(' ')
  return `${first.toLocaleUpperCase('en')}${rest.join('')}`
}

const FIRST_WORDS = 8
const MOST_ECHOED = 80

function suggestion(asked: string): string {
  const words = [...asked.split(/\s+/).slice(0, FIRST_WORDS).join(' ')].slice(0, MOST_ECHOED).join('')
  const about = words === '' ? 'anything that is asked' : `questions such as “${words}”`
  const advisors = [
    {
      name: 'The Sceptic',
      description: `You were suggested by a script, for ${about}. You look for what would have to be true for a plan to work, and ask how anybody knows that it is.`,
      group: 'Judgement',
    },
    {
      name: 'The Bookkeeper',
      description: `You were suggested by a script, for ${about}. You count what things cost in money, time and attention, and distrust every plan without a number in it.`,
      group: 'Judgement',
    },
    {
      name: 'The Maker',
      description: `You were suggested by a script, for ${about}. You care about the smallest thing that can be tried tomorrow, and learn more from an attempt than from an argument.`,
      group: 'Practice',
    },
  ]
  return JSON.stringify({ advisors }, null, 2)
}
