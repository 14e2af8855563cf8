/** How background work lets answers go first. */
import { setTimeout as pause, setImmediate } from 'node:timers/promises'

/** Lets others go first: called between small pieces of work. */
export type Breathe = () => Promise<void>

/** Lets everything that is ready run before the next piece. */
export const letOthersGo: Breathe = () => setImmediate()

/** How long background work waits at most before it goes on beside answers, and how often it looks. */
const MOST_WAIT_MS = 100
const LOOK_MS = 5

/** Waits until no answer is being made, but not for ever: where there are always some, folds are made slowly. */
export const breatheBeside =
  (isAnswering: () => boolean): Breathe =>
  async () => {
    await letOthersGo()
    for (let waited = 0; waited < MOST_WAIT_MS && isAnswering(); waited += LOOK_MS) await pause(LOOK_MS)
  }
