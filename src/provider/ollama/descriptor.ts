/** The provider Ollama, on this machine or at the address in the settings. */
import type { ProviderDescriptor } from '../descriptor.ts'
import { earlierOllamaWires, ollamaWire } from './encode.ts'
import { hostVariable } from './host-variable.ts'
import { ollamaSampling } from './sampling.ts'
import { createOllamaServer, OLLAMA_API, OLLAMA_LIST, shortName } from './server.ts'

export const ollama: ProviderDescriptor = {
  name: 'ollama',
  wire: ollamaWire,
  earlierWires: earlierOllamaWires,
  ...OLLAMA_API,
  baseURLVariable: 'OLLAMA_HOST',
  readBaseURL: hostVariable,
  // Loading a model may take long.
  timeouts: { firstByteMs: 120_000 },
  assumes: { window: 8192, keepsOnePrefix: true },
  samplingOf: ollamaSampling,
  list: OLLAMA_LIST,
  modelServer: {
    open: createOllamaServer,
    needs: 'a running Ollama',
    remedy: 'start it with "ollama serve", or say where it runs with OLLAMA_HOST',
    howToGet: model => `"ollama pull ${model}"`,
    shortName,
  },
}
