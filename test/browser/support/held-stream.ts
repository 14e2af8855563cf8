import type { Page } from 'playwright-core'

/** A session's events as the page hears them: up to one, and when it is let go up to the next. */
export type HeldStream = {
  /** Until everything before the next stop is heard. */
  readonly held: (through: number) => Promise<void>
  readonly letGo: () => Promise<void>
}

type State = { at: number | null; letGo: () => void }

/** Stops the stream behind each of these seqs, in every page that this tab loads from now on. */
export async function holdStream(page: Page, stops: readonly number[]): Promise<HeldStream> {
  await page.addInitScript(places => {
    const left = [...places]
    const state: State = { at: null, letGo: () => {} }
    Object.assign(globalThis, { stream: state })
    const pass = async (seq: number): Promise<void> => {
      for (let [stop] = left; stop !== undefined && seq > stop; [stop] = left) {
        const { promise, resolve } = Promise.withResolvers<void>()
        Object.assign(state, { at: left.shift(), letGo: resolve })
        await promise
      }
    }
    const { fetch: ask } = globalThis
    globalThis.fetch = async (...request: Parameters<typeof fetch>): Promise<Response> => {
      const response = await ask(...request)
      if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
        return response
      let text = ''
      const frames = new TransformStream<string, string>({
        transform: async (more, out) => {
          text += more
          for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
            const frame = text.slice(0, end + 2)
            text = text.slice(end + 2)
            await pass(Number(/^id: (\d+)/m.exec(frame)?.[1] ?? 0))
            out.enqueue(frame)
          }
        },
      })
      const body = response.body
        .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array<ArrayBuffer>, string>)
        .pipeThrough(frames)
        .pipeThrough(new TextEncoderStream())
      return new Response(body, { status: response.status, headers: response.headers })
    }
  }, stops)
  return {
    held: async through => {
      await page.waitForFunction(seq => (globalThis as unknown as { stream: State }).stream.at === seq, through)
    },
    letGo: () => page.evaluate(() => (globalThis as unknown as { stream: State }).stream.letGo()),
  }
}
