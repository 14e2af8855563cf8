import assert from 'node:assert/strict'

/** One server-sent event as our gateway writes it. */
export type Frame = { readonly id?: number; readonly event: string; readonly data: Data }

// biome-ignore lint/suspicious/noExplicitAny: what a frame carries is for its test to say
export type Data = any

/** A stream that is read frame by frame, at the test's own pace. */
export type FrameReader = {
  /** The next frame; undefined when the stream has ended well. A broken connection is thrown. */
  readonly next: () => Promise<Frame | undefined>
  /** Frames up to and including the first that fits; the stream must not end before. */
  readonly until: (fits: (frame: Frame) => boolean) => Promise<Frame[]>
  /** Everything up to the end of the stream. */
  readonly rest: () => Promise<Frame[]>
  /** Comment lines that came so far. */
  readonly comments: () => number
  readonly hangUp: () => Promise<void>
}

/** Stricter than a browser: whatever is not exactly one of our frames or comments is an error. */
export function readFrames(response: Response): FrameReader {
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.ok(response.body)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let comments = 0
  const next = async (): Promise<Frame | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        if (block !== ': ') return parseFrame(block)
        comments += 1
        continue
      }
      const { done, value } = await reader.read()
      if (done) {
        assert.equal(text, '', 'a stream ends between two frames')
        return undefined
      }
      text += value
    }
  }
  const collect = async (fits: (frame: Frame) => boolean): Promise<{ frames: Frame[]; found: boolean }> => {
    const frames: Frame[] = []
    for (let frame = await next(); frame !== undefined; frame = await next()) {
      frames.push(frame)
      if (fits(frame)) return { frames, found: true }
    }
    return { frames, found: false }
  }
  return {
    next,
    until: async fits => {
      const { frames, found } = await collect(fits)
      assert.ok(found, `the stream ended after ${frames.map(frame => frame.event).join(', ')}`)
      return frames
    },
    rest: async () => (await collect(() => false)).frames,
    comments: () => comments,
    hangUp: () => reader.cancel(),
  }
}

function parseFrame(block: string): Frame {
  const [, id, event, data] = /^(?:id: (\d+)\n)?event: ([a-z.]+)\ndata: (\{.*\})$/.exec(block) ?? []
  assert.ok(event !== undefined && data !== undefined, `not a frame: ${block}`)
  return { ...(id === undefined ? {} : { id: Number(id) }), event, data: JSON.parse(data) }
}

export const isEvent =
  (name: string) =>
  (frame: Frame): boolean =>
    frame.event === name

/** The ids of those that have one. */
export const idsOf = (frames: readonly Frame[]): number[] => frames.flatMap(({ id }) => (id === undefined ? [] : [id]))
