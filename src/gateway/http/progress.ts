/** Long work as server-sent events: its progress, and its result or fault at the end. */
import type { Fault } from '../../model/fault.ts'
import type { Result } from '../../model/result.ts'

/** The work, which tells how far it has come. What a slow reader misses is told by the next event. */
export async function* progressFrames<Progress extends object, Value extends object>(
  work: (progress: (done: Progress) => void) => Promise<Result<Value, Fault>>,
): AsyncGenerator<string> {
  let newest: Progress | undefined
  let wake = (): void => {}
  let isOver = false
  const over = work(done => {
    newest = done
    wake()
  }).finally(() => {
    isOver = true
    wake()
  })
  while (!isOver || newest !== undefined) {
    if (newest === undefined) {
      await new Promise<void>(resolve => {
        wake = resolve
      })
      continue
    }
    const told = newest
    newest = undefined
    yield frame('progress', told)
  }
  const done = await over
  yield done.ok ? frame('done', done.value) : frame('fault', done.fault)
}

const frame = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
