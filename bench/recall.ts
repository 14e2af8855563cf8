// How much of what a question needs is in the request, by method and budget: node bench/recall.ts [--json] [file or folder …]
import { markdown } from './measure.ts'
import { readConversations } from './recall/conversation.ts'
import { madeConversations } from './recall/conversations/made.ts'
import { type Method, type Score, type Summary, scoresOf, summaryOf } from './recall/measure.ts'
import { fullTextSearch, trigramSearch } from './recall/methods/full-text.ts'
import { BUDGETS, ourMethods } from './recall/methods/ours.ts'
import { firstAndLast, lastMessages } from './recall/methods/windows.ts'

const wantsJson = process.argv.includes('--json')
const paths = process.argv.slice(2).filter(each => !each.startsWith('--'))
const conversations = paths.length === 0 ? madeConversations() : readConversations(paths)
const methods: readonly Method[] = [lastMessages, firstAndLast, fullTextSearch, trigramSearch, ...ourMethods]

type Measured = { readonly method: string; readonly budget: number; readonly scores: readonly Score[] }
type Row = Summary & { readonly method: string; readonly budget: number }

const measured: Measured[] = []
for (const method of methods) {
  const asked = await Promise.all(conversations.map(async each => ({ each, ask: await method.ask(each) })))
  for (const budget of BUDGETS) {
    const scores: Score[] = []
    for (const { each, ask } of asked) scores.push(...(await scoresOf(each, ask, budget)))
    measured.push({ method: method.name, budget, scores })
  }
}
print()

function print(): void {
  const command = ['node bench/recall.ts', ...(paths.length === 0 ? [] : paths)].join(' ')
  const ids = conversations.map(({ id }) => id)
  const categories = [...new Set(conversations.flatMap(({ questions }) => questions.map(({ category }) => category)))].sort()
  const rows = { all: rowsOf(), byConversation: rowsBy(ids, 'conversation'), byCategory: rowsBy(categories, 'category') }
  if (wantsJson) {
    console.log(JSON.stringify({ bench: 'recall', command, rows }))
    return
  }
  const questions = conversations.reduce((sum, each) => sum + each.questions.length, 0)
  console.log(`recall · ${command} · ${conversations.length} conversations, ${questions} questions\n`)
  console.log('Share of the evidence that is whole in the request; in brackets with the passages of long messages.\n')
  show('all', rows.all)
  for (const [title, each] of [...Object.entries(rows.byConversation), ...Object.entries(rows.byCategory)]) show(title, each)
}

function rowsOf(isMeant: (score: Score) => boolean = () => true): readonly Row[] {
  return measured.map(({ method, budget, scores }) => ({ method, budget, ...summaryOf(scores.filter(isMeant)) }))
}

function rowsBy(titles: readonly string[], key: 'conversation' | 'category'): Readonly<Record<string, readonly Row[]>> {
  return Object.fromEntries(titles.map(title => [title, rowsOf(score => score[key] === title)]))
}

function show(title: string, rows: readonly Row[]): void {
  const cellOf = ({ whole, passages, over }: Row): string => {
    const percent = (share: number): string => (100 * share).toFixed(1)
    const shown = whole === passages ? percent(whole) : `${percent(whole)} (${percent(passages)})`
    return over === 0 ? shown : `${shown}, ${over} too long`
  }
  const cells = [...Map.groupBy(rows, ({ method }) => method)].map(([method, own]) => [method, ...own.map(cellOf)])
  const [first] = rows
  const head = [`${title}, ${first?.questions ?? 0} questions`, ...BUDGETS.map(budget => budget.toLocaleString('en'))]
  console.log(`${markdown(head, cells).join('\n')}\n`)
}
