/** Counts the words of a reply that came from beyond the window: from quotes alone, or from what only folds and quotes still name. */
import type { Part } from '../../model/event.ts'
import type { Block, Plan, PlanItem } from '../../model/plan.ts'
import { questionTerms, termsOf, wordsOf } from '../recall/language/terms.ts'
import { identifiersIn, stringsIn } from './identifiers.ts'

/**
 * How many terms of quotes that are nowhere else in the request occur in the reply, and how many identifiers of the reply are only
 * in folds and quotes. An identifier whose words were counted as terms does not count again.
 */
export function beyondWindow({ items }: Pick<Plan, 'items'>, parts: readonly Part[]): number {
  const quotes = items.filter(({ kind }) => kind === 'recall')
  const folds = items.filter(({ kind }) => kind === 'summary')
  if (quotes.length === 0 && folds.length === 0) return 0
  const reply = replyTexts(parts).join('\n')
  const quoted = quotes.map(({ text = '' }) => text.replace(BEFORE_WORDS, ''))
  const folded = folds.flatMap(itemTexts)
  const others = items.filter(item => !quotes.includes(item) && !folds.includes(item)).flatMap(itemTexts)

  const terms = usedTerms(quoted, reply)
  leaveNew(terms, [...folded, ...others])
  const near = new Set([...quoted, ...folded].flatMap(identifiersIn))
  const identifiers = new Set(identifiersIn(reply).filter(identifier => near.has(identifier)))
  for (const text of others) {
    if (identifiers.size === 0) break
    for (const identifier of identifiersIn(text)) identifiers.delete(identifier)
  }
  const more = [...identifiers].filter(identifier => !wordsOf(identifier).some(word => terms.has(word)))
  return new Set(terms.values()).size + more.length
}

/** The day, chat and speaker before a quote are no part of it. */
const BEFORE_WORDS = /^\d{4}-\d{2}-\d{2} (?:[^:\n]{1,100}: )?/

/** Numbers so short are in every text. */
const SAYS_LITTLE = /^(?:\d{1,2}|.)$/u

/** The terms of quotes that a reply uses, by each of their forms: texts of different languages have different ones. */
function usedTerms(quoted: readonly string[], reply: string): Map<string, string> {
  const said = formsIn(reply)
  const terms = quoted.flatMap(text => questionTerms(text, [])).filter(({ word }) => !SAYS_LITTLE.test(word))
  const used = terms.filter(({ forms }) => forms.some(form => said.has(form)))
  return new Map(used.flatMap(({ word, forms }) => [word, ...forms].map(form => [form, forms[0] ?? word] as const)))
}

/** Takes the terms away that other texts have as well, as long as some are left. */
function leaveNew(terms: Map<string, string>, texts: readonly string[]): void {
  for (const text of texts) {
    if (terms.size === 0) return
    const known = new Set([...formsIn(text)].flatMap(form => terms.get(form) ?? []))
    if (known.size > 0) for (const [form, term] of terms) if (known.has(term)) terms.delete(form)
  }
}

const formsIn = (text: string): ReadonlySet<string> => new Set([...wordsOf(text), ...termsOf(text)])

/** What a reply says and what it calls tools with; thinking is not part of an answer. */
const replyTexts = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap(part => (part.type === 'text' ? [part.text] : part.type === 'call' ? stringsIn(part.args) : []))

const itemTexts = ({ text, messages }: PlanItem): readonly string[] =>
  text === undefined ? messages.flatMap(({ blocks }) => blocks.flatMap(blockTexts)) : [text]

function blockTexts(block: Block): readonly string[] {
  switch (block.type) {
    case 'text':
    case 'think':
    case 'result':
      return [block.text]
    case 'call':
      return stringsIn(block.args)
    case 'image':
    case 'file':
      return [block.name]
  }
}
