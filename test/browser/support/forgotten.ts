/** A conversation of 20,000 messages in which the last reply saw 506, as the gateway would send it. */
import type { Receipt } from '../../../src/model/receipt.ts'
import { RECEIPT } from '../../web/signals.ts'

const at = '2026-01-02T12:00:00.000Z'
const EXCHANGES = 10_000
/** The exchange with which the last request begins. */
export const FIRST_SENT = 9748

export const seqOf = (exchange: number): number => (exchange - 1) * 4 + 1

const turnOf = (exchange: number): string => `trn_${exchange}`

function receiptOf(exchange: number, more: Partial<Receipt>): Receipt {
  const cause = seqOf(exchange)
  return {
    ...RECEIPT,
    through: cause,
    policy: 'steady@1',
    model: 'ollama/small',
    seen: { messages: 506, of: 20_000 },
    window: { begins: seqOf(FIRST_SENT), excerpts: [{ seq: seqOf(EXCHANGES - 1), tokens: 400 }], unpinned: [] },
    inputs: { ...RECEIPT.inputs, cause, turn: turnOf(exchange) },
    ...more,
  }
}

const exchange = (number: number, more: Partial<Receipt>): readonly (readonly [string, object])[] => {
  const turn = turnOf(number)
  const isLast = number === EXCHANGES
  return [
    ['message.received', { text: `Question ${number}`, from: 'person' }],
    ['turn.started', { turn, voice: 'assistant', cause: seqOf(number) }],
    ...(isLast ? [['context.planned', { turn, step: 1, receipt: receiptOf(number, more) }] as const] : []),
    ['reply.finished', { turn, step: 1, parts: [{ type: 'text', text: `Answer ${number}` }] }],
    ['turn.ended', { turn, voice: 'assistant', reason: 'done' }],
  ]
}

const NOTICE = {
  kind: 'window',
  message: '19,494 of 20,000 messages are no longer sent to the model. 1 long message is sent in part.',
  turn: turnOf(EXCHANGES),
}

/** The stream of its events; `more` changes the last receipt. */
export const forgottenChat = (more: Partial<Receipt> = {}): string =>
  [
    ...Array.from({ length: EXCHANGES }, (_, index) => exchange(index + 1, more))
      .flat()
      .map(
        ([type, data], index) =>
          `id: ${index + 1}\nevent: ${type}\ndata: ${JSON.stringify({ session: 'ses_1', seq: index + 1, at, ...data })}\n\n`,
      ),
    `event: notice\ndata: ${JSON.stringify({ session: 'ses_1', ...NOTICE })}\n\n`,
  ].join('')
