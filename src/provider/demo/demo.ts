/** The provider of the demo model: it speaks its script word by word, without any network. */
import { setTimeout as pause } from 'node:timers/promises'
import { fault } from '../../model/fault.ts'
import type { Delta } from '../../model/message/delta.ts'
import type { Encoded, Provider } from '../../model/provider.ts'
import { demoScript } from './script.ts'
import { type DemoRequest, demoWire } from './wire.ts'

/** The built-in model: offline, deterministic, and honest about being a script. */
export function demoProvider({ delayMs }: { readonly delayMs: number }): Provider {
  async function* speak(request: Encoded, signal: AbortSignal): AsyncGenerator<Delta> {
    for (const delta of demoScript(JSON.parse(request.body) as DemoRequest)) {
      if (delayMs > 0 && 'text' in delta && !signal.aborted) await pause(delayMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return yield { type: 'fault', fault: fault('cancelled', 'stopped') }
      yield delta
    }
  }
  return { wire: demoWire, speak }
}
