// Lets rows ask the transcript to scroll somewhere.
import { createContext, useContext } from 'react'

/** What a row can ask the transcript to do. */
export type ReadingHands = {
  /** Scrolls to a row, marks it for a moment, and gives it the focus where that is wanted. */
  readonly jump: (row: string, focus?: boolean) => void
}

/** Outside of a transcript there is nowhere to go. */
export const ReadingContext: React.Context<ReadingHands> = createContext<ReadingHands>({ jump: () => {} })

export const useReading = (): ReadingHands => useContext(ReadingContext)
