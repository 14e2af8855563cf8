/** A toy API: the conversation goes out as lines of "role: text", and comes back as server-sent events. */
import type { Wire } from '../../../src/model/provider.ts'
import { modelName, strictJson } from '../../../src/provider/transport/join-neighbors.ts'
import { decodeToy } from './decode.ts'

export const toyWire: Wire = {
  name: 'toy',
  version: 1,
  encode: ({ model, system, messages }) => ({
    url: '/talk',
    body: strictJson({
      model: modelName(model),
      system,
      lines: messages.flatMap(({ role, blocks }) =>
        blocks.flatMap(block => (block.type === 'text' ? [`${role}: ${block.text}`] : [])),
      ),
    }),
  }),
  decode: decodeToy,
}
