import type { Keep } from './local-storage.ts'

/** The gateway's token, for this tab or, if asked, for this browser. */
export type TokenKeep = {
  readonly read: () => string | null
  readonly write: (token: string | null, remember: boolean) => void
}

export function createTokenKeep(tab: Keep, browser: Keep): TokenKeep {
  return {
    read: () => tab.read('token') ?? browser.read('token'),
    write: (token, remember) => {
      tab.write('token', remember ? null : token)
      browser.write('token', remember ? token : null)
    },
  }
}
