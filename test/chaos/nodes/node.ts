// One node as `turnwise serve` starts it; for the control, its log forgets the fences.
import { registerHooks } from 'node:module'
import { NO_FENCE_VARIABLE } from './variables.ts'

const LOG = new URL('../../../src/log/postgres/postgres-log.ts', import.meta.url).href
const UNFENCED_LOG = new URL('./unfenced-log.ts', import.meta.url).href

if (process.env[NO_FENCE_VARIABLE] !== undefined)
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      return found.url === LOG && context.parentURL !== UNFENCED_LOG ? { ...found, url: UNFENCED_LOG } : found
    },
  })

await import('../../../src/main.ts')
