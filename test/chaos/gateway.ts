// The gateway as `turnwise serve` starts it, with one module changed: its log dies when it is told to.
import { registerHooks } from 'node:module'

const OPENER = new URL('../../src/log/open-store.ts', import.meta.url).href
const LOG = new URL('../../src/log/sqlite/sqlite-log.ts', import.meta.url).href
const KILLING_LOG = new URL('./killing-log.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    return found.url === LOG && context.parentURL === OPENER ? { ...found, url: KILLING_LOG } : found
  },
})

await import('../../src/main.ts')
