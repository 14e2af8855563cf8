// Keeps the gateway's token in this tab or this browser.
import type { LocalStore } from './local-storage.ts'

/** The gateway's token, for this tab or, if asked, for this browser. */
export type TokenStore = {
  readonly read: () => string | null
  readonly write: (token: string | null, remember: boolean) => void
}

export function createTokenStore(tab: LocalStore, browser: LocalStore): TokenStore {
  return {
    read: () => tab.read('token') ?? browser.read('token'),
    write: (token, remember) => {
      tab.write('token', remember ? null : token)
      browser.write('token', remember ? token : null)
    },
  }
}
