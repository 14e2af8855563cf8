// Runs batches of test files and reports them as one run.
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Test files, and how many of them run at a time. */
export type Batch = { readonly files: readonly string[]; readonly atOnce: number }

type Told = {
  readonly type: string
  readonly data: { readonly message?: string; readonly nesting?: number; readonly todo?: unknown }
}

/** The runner's summary lines, which every batch would print for itself. */
const TOTAL = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/
/** A test that takes longer hangs. */
const LONGEST_MS = 300_000

/** Runs batches one after the other and reports them as one run with one summary. Returns true if all tests passed. */
export async function runBatches(batches: readonly Batch[], longestMs: number = LONGEST_MS): Promise<boolean> {
  let passed = true
  const totals = new Map<string, number>()

  async function* told(): AsyncGenerator<Told> {
    for (const { files, atOnce } of batches) {
      if (files.length === 0) continue
      for await (const event of run({ files: [...files], concurrency: atOnce, timeout: longestMs }) as AsyncIterable<Told>) {
        if (event.type === 'test:fail' && event.data.todo === undefined) passed = false
        const [, name, amount] = (event.type === 'test:diagnostic' && TOTAL.exec(event.data.message ?? '')) || []
        if (name === undefined) yield event
        else totals.set(name, (totals.get(name) ?? 0) + Number(amount))
      }
    }
    for (const [name, amount] of totals) yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${amount}` } }
  }

  const reporter = new spec()
  reporter.pipe(process.stdout)
  for await (const event of told()) reporter.write(event)
  await new Promise<void>(resolve => reporter.end(resolve))
  return passed
}
