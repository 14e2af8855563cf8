/** Bounds how many processes tools run at one time, in the whole gateway and in one turn; the rest wait in order. */
import type { TurnId } from '../../model/ids.ts'
import { createSlots } from '../../provider/transport/slots.ts'

/** Waits for a place; gives the way to leave it again, or nothing if the turn was stopped first. */
export type EnterProcess = (signal: AbortSignal) => Promise<(() => void) | undefined>

export type ProcessLimit = {
  /** The places of one reply's calls. The replies of a turn come one after the other, so they are the turn's. */
  readonly ofTurn: (turn: TurnId) => EnterProcess
}

const MOST = 32
const MOST_IN_A_TURN = 8

/** A call takes a place within its turn first. So only a few calls of one turn wait in line with those of other turns. */
export function createProcessLimit(): ProcessLimit {
  const all = createSlots(MOST)
  return {
    ofTurn: turn => {
      const own = createSlots(MOST_IN_A_TURN)
      return async signal => {
        const leaveOwn = await own.enter(signal, turn)
        if (leaveOwn === undefined) return undefined
        const leaveAll = await all.enter(signal, turn)
        if (leaveAll === undefined) {
          leaveOwn()
          return undefined
        }
        return () => {
          leaveAll()
          leaveOwn()
        }
      }
    },
  }
}
