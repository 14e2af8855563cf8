/** A conversation in which nearly everything went wrong, as the gateway would send it. */
const at = '2026-01-02T12:00:00.000Z'
const fault = {
  kind: 'throttled',
  message: 'anthropic/claude answered 429: too many requests, try again in 20 s',
  retryable: true,
}

const events = [
  ['message.received', { text: 'Summarise the report, please.', from: 'person' }],
  ['turn.started', { turn: 'trn_1', voice: 'chief-editor', cause: 1 }],
  ['reply.broken', { turn: 'trn_1', step: 1, parts: [{ type: 'text', text: 'The report begins with' }], fault }],
  ['turn.ended', { turn: 'trn_1', voice: 'chief-editor', reason: 'failed', fault }],
  ['history.folded', { through: 4, text: 'They asked for a summary; the provider was busy.' }],
  ['damaged', { why: 'the body is not JSON' }],
  ['message.received', { text: 'And now?', from: 'person' }],
  ['turn.started', { turn: 'trn_2', voice: 'assistant', cause: 7 }],
  ['turn.ended', { turn: 'trn_2', voice: 'assistant', reason: 'interrupted' }],
  ['approval.asked', { turn: 'trn_2', what: 'a kind of event this page does not know' }],
] as const

const notices = [
  { kind: 'unsaved', message: 'The store does not answer; what is said now is kept in memory until it does.' },
  { kind: 'degraded', message: 'Earlier messages could not be read; answering from the new one alone.' },
] as const

export const TROUBLE: string = [
  ...events.map(
    ([type, data], index) =>
      `id: ${index + 1}\nevent: ${type}\ndata: ${JSON.stringify({ session: 'ses_1', seq: index + 1, at, ...data })}\n\n`,
  ),
  ...notices.map(notice => `event: notice\ndata: ${JSON.stringify({ session: 'ses_1', ...notice })}\n\n`),
].join('')
