// What is open around the conversation, as a React context.
import { createContext, useContext } from 'react'

/** What may lie over the page. */
export type Overlay = 'palette' | 'shortcuts' | 'preferences'

/** What the dialog that connects a provider was opened for. */
export type OpenConnect = { readonly provider: string | null; readonly isForKey: boolean }

/** The frame around the conversation: what is open, and how to open it. */
export type AppFrame = {
  /** Whether there is room for one column only; the sidebar is a drawer then. */
  readonly narrow: boolean
  /** Whether the sidebar is seen. */
  readonly sidebar: boolean
  readonly showSidebar: (shown: boolean) => void
  readonly show: (overlay: Overlay) => void
  /** Opens the dialog that connects a provider, by its name; null lets the person choose one. With `'key'`, another key is entered. */
  readonly connect: (provider: string | null, step?: 'key') => void
  /** Whether the title at the top is being written. */
  readonly renaming: boolean
  readonly rename: (renaming: boolean) => void
  /** Whether words are being looked for in the conversation. */
  readonly finding: boolean
  readonly find: (finding: boolean) => void
}

export const FrameContext: React.Context<AppFrame | null> = createContext<AppFrame | null>(null)

export function useFrame(): AppFrame {
  const frame = useContext(FrameContext)
  if (frame === null) throw new Error('no frame around this component')
  return frame
}
