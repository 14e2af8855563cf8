/** Everything that reads whole texts on the gateway's own thread, each with the longest text that it is ever given. */
import { count } from '../../src/context/text/tokens.ts'
import { format } from '../../src/context/transcript/format.ts'
import { parse } from '../../src/context/transcript/parse.ts'
import { parseCommand, withoutMention } from '../../src/gateway/channel/commands.ts'
import { escapeToOneLine } from '../../src/gateway/cli/output/escape-for-terminal.ts'
import { linesWith } from '../../src/gateway/notes/search.ts'
import { blockLabels, blocksIn, createEscape } from '../../src/gateway/openai/blocks.ts'
import { answerPieces } from '../../src/gateway/telegram/answer-pieces.ts'
import { searchTerms } from '../../src/log/snippet.ts'
import { finish, parseReply, start } from '../../src/provider/text-protocol/decode.ts'
import { formatReply } from '../../src/provider/text-protocol/encode.ts'
import { redactor } from '../../src/provider/transport/redactor.ts'
import { parseSuggestion } from '../../src/turn/council/advisor-suggestion.ts'
import { titleIn } from '../../src/turn/memory/first-exchange.ts'
import { createOverlapFilter } from '../../src/turn/recovery/overlap.ts'
import { workOf } from './thread-time.ts'

export type TextReader = {
  /** The longest text that it is given. */
  readonly limit: number
  /** Reads a text, and gives how many milliseconds it kept everyone else waiting at most. */
  readonly read: (text: string) => number
}

/** A message over HTTP, and a reply of a model. */
const MESSAGE = 2 ** 20
const REPLY = 2 ** 20
/** What comes of a stream at once; everyone else is heard between two of them. */
const DELTA = 8 * 1024

/** Read at once, from the first letter to the last. */
const whole = (limit: number, read: (text: string) => unknown): TextReader => ({ limit, read: text => workOf(() => read(text)) })

/** Read as it comes, in steps of so many characters; all steps of what came at once count together. */
const streamed = (
  limit: number,
  size: number,
  begin: () => { push: (text: string) => unknown; end: () => unknown },
): TextReader => ({
  limit,
  read: text => {
    const { push, end } = begin()
    let longest = 0
    for (let came = 0; came < text.length; came += DELTA) {
      const steps = (): void => {
        for (let at = came; at < Math.min(came + DELTA, text.length); at += size) push(text.slice(at, at + size))
      }
      longest = Math.max(longest, workOf(steps))
    }
    return Math.max(longest, workOf(end))
  },
})

const SECRETS = redactor({ apiKey: 'sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa', headers: {} })
const LABELS = blockLabels({
  advisors: ['A', 'B'].map(name => ({ id: `voice-${name}`, name })) as unknown as Parameters<typeof blockLabels>[0]['advisors'],
})
const REMARKS = { degraded: undefined, truncated: undefined, window: undefined, isCutAtLength: false, ended: undefined }

export const TEXT_READERS: Readonly<Record<string, TextReader>> = {
  'a short Telegram answer': whole(4096, text => answerPieces({ text, isFinal: true, title: 'A', remarks: REMARKS })),
  'the title in an answer': whole(REPLY, titleIn),
  'the suggestion in an answer': whole(REPLY, parseSuggestion),
  'the tokens of a text': whole(REPLY, count),
  'the tools in a reply': streamed(REPLY, DELTA, () => {
    let reading = start('')
    return { push: text => ([reading] = parseReply(reading, text)), end: () => finish(reading) }
  }),
  'a reply as its model wrote it': whole(REPLY, text => formatReply([{ type: 'text', text }])),
  'a transcript, written': whole(REPLY, text => format({ history: [{ type: 'user', text }], current: [] })),
  'a transcript, read': whole(MESSAGE, text => attempt(() => parse(`=== HISTORY ===\n\n$result: ${text}`))),
  'what goes on after a cut': streamed(REPLY, 16, () => createOverlapFilter('a\n-\n*_ '.repeat(2000))),
  "a council's answer, written": streamed(REPLY, 16, () => createEscape(LABELS)),
  "a council's answer, read": whole(MESSAGE, text => blocksIn(`## A\n\n${text}`, LABELS)),
  "a provider's complaint without its keys": whole(64 * 1024, SECRETS),
  'a line for people': whole(64 * 1024, escapeToOneLine),
  'a note that is searched': whole(MESSAGE, text => linesWith(['a', 'zz'], { name: 'a', text })),
  'the words of a search': whole(16 * 1024, searchTerms),
  'a message without the name of its bot': whole(4096, text => withoutMention(text, 'bot')),
  'a command to the bot': whole(4096, text => parseCommand(text, 'bot')),
}

function attempt(work: () => unknown): void {
  try {
    work()
  } catch {
    // Most texts are no transcripts.
  }
}
