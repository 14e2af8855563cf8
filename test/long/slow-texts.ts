// Looks for new texts that keep everyone waiting: `npm run test:long`. What it finds goes into test/hazards/context/slow-texts.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Marked } from 'marked'
import { lexText } from '../../src/archive/text-thread/lex-text.ts'
import { mended } from '../../web/src/markdown/mended.ts'
import { documentOf } from '../../web/src/markdown/read.ts'
import { slowest } from '../support/slow-texts.ts'
import { TEXT_READERS, type TextReader } from '../support/text-readers.ts'

const SEED = Number(process.env.SEED ?? 7)
const BUDGET_MS = Number(process.env.BUDGET_MS ?? 20_000)

const timed = (read: (text: string) => unknown) => (text: string) => {
  const began = performance.now()
  read(text)
  return performance.now() - began
}

const RULES = new Marked({ gfm: true, breaks: true }).defaults

/** Read by the page, or in a thread: nobody else waits, so they may take longer. */
const ELSEWHERE: Readonly<Record<string, TextReader>> = {
  'Markdown in an exported page': { limit: 500_000, read: timed(text => lexText(RULES, text)) },
  'Markdown on the page': { limit: 500_000, read: timed(documentOf) },
  'the end of a reply that is still being written': { limit: 100_000, read: timed(mended) },
}

const ALL = [
  ...Object.entries(TEXT_READERS).map(([name, reader]) => ({ name, reader, mostMs: 100 })),
  ...Object.entries(ELSEWHERE).map(([name, reader]) => ({ name, reader, mostMs: 600 })),
]

for (const { name, reader, mostMs } of ALL) {
  test(`no text is slow for: ${name}`, t => {
    const [worst] = slowest({ ...reader, seed: SEED, budgetMs: BUDGET_MS })
    assert.ok(worst !== undefined)
    const { recipe, size, ms } = worst
    const said = `${ms.toFixed(1)} ms for ${size} characters of ${JSON.stringify(recipe)}`
    t.diagnostic(said)
    assert.ok(ms < mostMs, said)
  })
}
