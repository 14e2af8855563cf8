/** Reads the toy's reply: `word` events, then `end`; `trouble` says what went wrong. */
import type { Encoded, StreamDecoder } from '../../../src/model/provider.ts'
import { CUT_OFF, eventStream } from '../../../src/provider/transport/frames.ts'
import { errorTrouble } from '../../../src/provider/transport/trouble.ts'

export const decodeToy: (request: Encoded) => StreamDecoder = eventStream<null>({
  start: () => null,
  read: (state, { event, data }) => {
    switch (event) {
      case 'word':
        return [state, [{ type: 'text', text: data }]]
      case 'trouble':
        return [state, [{ type: 'fault', ...errorTrouble('toy', 'invalid_request_error', data) }]]
      case 'end':
        return [
          state,
          [{ type: 'usage', usage: { input: Number(data), output: 2, cacheRead: 0, cacheWrite: 0 } }, { type: 'done' }],
        ]
      default:
        return [state, []]
    }
  },
  end: () => [CUT_OFF],
})
