// node bench/peer-process.ts <peer> <file> <session> <text>, forked by peer-case.ts: reads a session into memory, adds a new
// message, and chooses what to send whenever it is told to.

import { boundsOf } from '../src/context/bounds.ts'
import { settlePolicy } from '../src/context/reply-limit.ts'
import { presets, sqliteLog, weigh } from '../src/index.ts'
import type { SessionId } from '../src/model/ids.ts'
import { type Spoken, spokenOf } from './conversations.ts'
import { MODEL } from './fixture.ts'
import { sure, timed } from './measure.ts'
import type { Peer, Word } from './peer-case.ts'
import { aiSdk, langChain, PRUNE_RULES, toAiSdk, toLangChain } from './peers.ts'

/** Chooses once from what was read before. */
type Choose = () => Promise<unknown>

const EVENTS_PER_PAGE = 10_000
/** As much as `steady` lets a request grow to. */
const MOST_TOKENS = boundsOf(settlePolicy(presets.steady, { model: { ...MODEL, factor: 1 }, thinking: false }), MODEL.window).high

/** Null where the library is not installed. */
const PREPARE: Readonly<Record<Peer, () => Promise<Choose | null>>> = {
  'LangChain trimMessages': async () => {
    const chain = await langChain()
    if (chain === null) return null
    const messages = await everyMessage(message => toLangChain(chain, message))
    const rules = { strategy: 'last', maxTokens: MOST_TOKENS, tokenCounter: roughly, startOn: 'human' } as const
    return () => chain.trimMessages(messages, rules)
  },
  'AI SDK pruneMessages': async () => {
    const sdk = await aiSdk()
    if (sdk === null) return null
    const messages = await everyMessage(toAiSdk)
    return async () => sdk.pruneMessages({ ...PRUNE_RULES, messages })
  },
}

const [, , peer, file = '', session, text = ''] = process.argv
const choose = await PREPARE[peer as Peer]()
if (choose === null) say('absent')
else {
  process.on('message', async () => say(await timed(choose)))
  say('ready')
}

function say(word: Word): void {
  process.send?.(word)
}

async function everyMessage<Message>(made: (spoken: Spoken) => Message): Promise<readonly Message[]> {
  const log = sure(await sqliteLog({ file, clock: Date.now, weigh, readOnly: true }))
  const id = session as SessionId
  const { head } = sure(await log.standing(id))
  const messages: Message[] = []
  for (let seq = 1; seq <= head; seq += EVENTS_PER_PAGE) {
    const page = sure(await log.past(id, { from: { seq }, through: seq + EVENTS_PER_PAGE - 1 }))
    for (const spoken of spokenOf(page)) messages.push(made(spoken))
  }
  await log.close()
  messages.push(made({ role: 'user', seq: head + 1, text }))
  return messages
}

/** The cheapest count there is, so that nobody's tokenizer is measured: a token for four characters, and four for each message. */
function roughly(messages: readonly { readonly content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + content.length / 4 + 4, 0)
}
