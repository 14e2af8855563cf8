/** Makes the notices that followers get besides the reply: a shorter reply, a missing history, another try. */
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import type { Notice } from '../../model/message/delta.ts'
import type { Receipt } from '../../model/receipt.ts'

/** The notices that go out with a request; `limited` is the longest reply of a round that has little money. */
export const noticesFor = ({ degraded }: Receipt, turn: TurnId, limited: number | undefined): readonly Notice[] => [
  ...(degraded === null ? [] : [degradedNotice(degraded.reason, turn)]),
  ...(limited === undefined ? [] : [shorterNotice(limited)]),
]

const degradedNotice = (reason: string, turn: TurnId): Notice => ({
  kind: 'degraded',
  message: `Answered without earlier messages: ${reason}.`,
  turn,
})

export const shorterNotice = (output: number, turn?: TurnId): Notice => ({
  kind: 'budget',
  message: `The budget leaves room for replies of at most ${output.toLocaleString('en')} tokens; longer ones are cut there.`,
  ...(turn === undefined ? {} : { turn }),
})

export const retryNotice = ({ message }: Fault, how: string, turn: TurnId): Notice => ({
  kind: 'retrying',
  message: `${message}. ${how}`,
  turn,
})
