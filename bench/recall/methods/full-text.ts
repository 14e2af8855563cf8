// Plain full-text search: SQLite's FTS5 with bm25, the best hits with a neighbour on each side, oldest first.
import { DatabaseSync } from 'node:sqlite'
import { costOf, type Method } from '../measure.ts'

/** With stems of words, as nearly every program has it. */
export const fullTextSearch: Method = plain('full-text search', 'porter unicode61', text => [
  ...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
])

/** With every three letters in a row, which also finds words where a script has no spaces between them. */
export const trigramSearch: Method = plain('full-text search, trigrams', 'trigram', text => {
  const runs = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(runs.flatMap(run => Array.from({ length: Math.max(0, run.length - 2) }, (_, at) => run.slice(at, at + 3))))]
})

function plain(name: string, tokenizer: string, termsOf: (question: string) => readonly string[]): Method {
  return {
    name,
    ask: ({ messages }) => {
      const db = new DatabaseSync(':memory:')
      db.exec(`create virtual table said using fts5(text, tokenize = '${tokenizer}')`)
      const insert = db.prepare('insert into said (rowid, text) values (?, ?)')
      for (const [index, { text }] of messages.entries()) insert.run(index + 1, text)
      const search = db.prepare('select rowid from said where said match ? order by bm25(said), rowid')

      return async ({ text }, budget) => {
        const terms = termsOf(text).map(term => `"${term}"`)
        const hits = terms.length === 0 ? [] : search.all(terms.join(' OR '))
        const chosen = new Set<number>()
        let left = budget - costOf(text)
        for (const { rowid } of hits) {
          const hit = Number(rowid) - 1
          // What does not fit is passed over: a later hit may be shorter.
          for (const index of [hit, hit - 1, hit + 1]) {
            const message = messages[index]
            if (message === undefined || chosen.has(index) || costOf(message.text) > left) continue
            chosen.add(index)
            left -= costOf(message.text)
          }
        }
        const quoted = [...chosen].sort((a, b) => a - b).flatMap(index => messages[index]?.text ?? [])
        return [...quoted, text]
      }
    },
  }
}
