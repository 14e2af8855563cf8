import assert from 'node:assert/strict'
import type { FakeFault, FakeFlavour, FakeWire, Script } from '../../../src/testing/index.ts'
import { CLIENTS, type Client } from './vendor-clients.ts'

/** A service there is a fake of, and its own client. */
export type Door = { readonly name: string; readonly wire: FakeWire; readonly flavour: FakeFlavour; readonly client: Client }

export const DOORS: readonly Door[] = [
  { name: 'anthropic', wire: 'anthropic', flavour: 'openai', client: CLIENTS.anthropic },
  { name: 'openai', wire: 'openai', flavour: 'openai', client: CLIENTS.openai },
  { name: 'openrouter', wire: 'openai', flavour: 'openrouter', client: CLIENTS.openai },
  { name: 'ollama', wire: 'ollama', flavour: 'openai', client: CLIENTS.ollama },
]

export const HELLO = 'Hello, how may I help you today?'
export const hello: Script = { says: [{ type: 'text', text: HELLO }] }
export const withFaults = (...faults: readonly FakeFault[]): Script => ({ ...hello, faults })

/** Each client has an error of its own kind; all of them know the status. */
export const statusIs =
  (code: number) =>
  (error: { readonly status?: number; readonly status_code?: number }): boolean => {
    assert.equal(error.status ?? error.status_code, code)
    return true
  }
