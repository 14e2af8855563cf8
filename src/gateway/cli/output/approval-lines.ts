// Shows what an approval is bound to.
import type { RunFacts } from '../../../model/approval.ts'
import { factRows } from '../../../model/approval-words.ts'
import { shownArgv } from '../sessions/transcript.ts'
import { aligned } from './aligned.ts'
import { escapeToOneLine } from './escape-for-terminal.ts'

/** What an approval is bound to, one line each. A terminal has room for whole hashes. */
export const approvalLines = (facts: RunFacts): readonly string[] =>
  aligned(factRows(facts, shownArgv).map(({ label, value, full }) => [escapeToOneLine(label), escapeToOneLine(full ?? value)]))
