/** A call that waits for a person: how the question looks in a chat, and what its buttons mean. */
import { factRows } from '../../../model/approval-words.ts'
import type { ApprovalAnswer, Event } from '../../../model/event.ts'
import { type ApprovalId, parseApprovalId } from '../../../model/ids.ts'
import { escapeToOneLine } from '../../cli/output/escape-for-terminal.ts'
import { shownArgv } from '../../cli/sessions/transcript.ts'
import type { Button } from '../adapter.ts'
import { joined, plain, type RichText, styled } from './rich-text.ts'

export type AskedApproval = Extract<Event, { type: 'approval.asked' }>

/** What came of a question: a person's answer, or the end of the turn that asked. */
export type ApprovalOutcome = { readonly answer: ApprovalAnswer; readonly reason?: string } | 'over'

const LETTERS: Readonly<Record<string, ApprovalAnswer>> = { o: 'once', s: 'session', a: 'always', d: 'deny' }

const OUTCOMES: Readonly<Record<ApprovalAnswer, string>> = {
  once: 'Allowed, this once.',
  session: 'Allowed in this session.',
  always: 'Allowed, always.',
  deny: 'Denied.',
}

/** The call with exactly what would be run, and its outcome as soon as there is one. */
export function approvalText(asked: AskedApproval, outcome: ApprovalOutcome | undefined): RichText {
  const { tool, argv } = asked
  const question = outcome === undefined ? `May ${escapeToOneLine(tool)} run this?` : escapeToOneLine(tool)
  return joined(
    styled(question, { type: 'bold' }),
    plain('\n'),
    styled(shownArgv(argv) || escapeToOneLine(tool), { type: 'pre' }),
    // A chat has nothing to unfold, so it shows the whole hash.
    ...factRows(asked, shownArgv).flatMap(({ label, value, full }) => [
      plain(`\n${escapeToOneLine(label)}: `),
      styled(escapeToOneLine(full ?? value), { type: 'code' }),
    ]),
    ...(outcome === undefined ? [] : [plain('\n'), styled(outcomeWords(outcome), { type: 'italic' })]),
  )
}

export const outcomeWords = (outcome: ApprovalOutcome): string =>
  outcome === 'over'
    ? 'No longer asked: the turn is over.'
    : `${OUTCOMES[outcome.answer]}${outcome.reason === undefined ? '' : ` ${escapeToOneLine(outcome.reason)}`}`

export function approvalButtons(approval: ApprovalId): readonly (readonly Button[])[] {
  const button = (text: string, letter: string): Button => ({ text, data: `${letter}:${approval}` })
  return [
    [button('Allow once', 'o'), button('This session', 's')],
    [button('Always', 'a'), button('Deny', 'd')],
  ]
}

/** What a pressed button means; data that is not exactly that of one of our buttons means nothing. */
export function parsePress(data: string): { readonly approval: ApprovalId; readonly answer: ApprovalAnswer } | undefined {
  const [, letter = '', id = ''] = /^([osad]):(\w{1,60})$/.exec(data) ?? []
  const approval = parseApprovalId(id)
  const answer = LETTERS[letter]
  return approval.ok && answer !== undefined ? { approval: approval.value, answer } : undefined
}
