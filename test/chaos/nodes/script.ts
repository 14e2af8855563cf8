/** The conversation that every client of the nodes has: tools, an approval, a stop, a council and summaries, marked with a ticket. */
import { CLERK, MESSAGES, type Message, REPLIES, type Script } from '../conversation.ts'

/** The reply to this message is stopped by the client, on another node; it may be over before. */
export const STOPPED = 'stop'

const LONG_REPLY = Array.from({ length: 24 }, (_, index) => `Bed ${index + 1} needs compost before the frost.`).join(' ')

/** It is under way for so long that readers on other nodes hear it from its checkpoints. */
const TERMS = Array.from({ length: 18 }, (_, index) => `Clause ${index + 1} says who waters which bed.`).join(' ')

const OWN: readonly Message[] = [
  { key: STOPPED, session: 'agent', text: 'Tell me all about the beds.' },
  { key: 'sign', session: 'agent', text: 'Sign the contract with the gardener.' },
]

const KEYS: ReadonlySet<string> = new Set(['plain', 'tools', 'round', 'aside', 'told-1', 'told-2', 'told-3', 'told-4'])
const messages = [...MESSAGES.filter(({ key }) => KEYS.has(key)), ...OWN]

export const NODES_SCRIPT: Script = {
  messages,
  replies: Object.fromEntries(
    Object.entries(REPLIES).map(([voice, replies]) => [
      voice,
      {
        ...Object.fromEntries(Object.entries(replies).filter(([key]) => KEYS.has(key))),
        ...(voice === CLERK
          ? {
              [STOPPED]: [{ text: LONG_REPLY }],
              sign: [
                { text: 'It needs your leave. ', call: { tool: 'sign', args: { what: 'sign' } } },
                { text: `The contract is signed. ${TERMS}` },
              ],
            }
          : {}),
      },
    ]),
  ),
}

/** Tells the copies of the conversation apart, for a model and for tools that know nothing of sessions. */
export type Ticket = `c${number}`

export const withTicket = (text: string, ticket: Ticket): string => `${text} [${ticket}]`

export const ticketIn = (text: string): Ticket | undefined => /\[(c\d+)\]/.exec(text)?.[1] as Ticket | undefined

/** A line of the conversation as it would be without tickets. */
export const withoutTicket = (line: string): string => line.replace(/ \[c\d+\]/g, '').replace(/,"call":"c\d+-\d+"/g, '')
