/** The built-in model, which runs offline inside this process. */
import type { ProviderDescriptor } from '../descriptor.ts'
import { demoProvider } from './demo.ts'
import { demoWire } from './wire.ts'

export const demo: ProviderDescriptor = {
  name: 'demo',
  wire: demoWire,
  headers: () => ({}),
  models: {
    demo: { window: 32_000, price: { input: 0, output: 0 }, images: false, files: false, thinking: true, tools: true },
  },
  inProcess: () => demoProvider({ delayMs: 0 }),
}
