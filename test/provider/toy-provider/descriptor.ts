/** A provider that exists only in this test. */
import type { ProviderDescriptor } from '../../../src/provider/descriptor.ts'
import { toyWire } from './encode.ts'

export const toy: ProviderDescriptor = {
  name: 'toy',
  wire: toyWire,
  baseURL: 'https://toy.example/v1',
  keyVariable: 'TOY_API_KEY',
  headers: apiKey => ({ 'x-toy-key': apiKey }),
  assumes: { window: 4000, images: false },
  models: {
    'toy/parrot': { window: 2000, price: { input: 1, output: 2 }, images: false, files: false, thinking: false, tools: false },
  },
}
