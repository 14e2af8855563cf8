/** A channel of a gateway that shares its store with others: one node runs it at a time, and another takes over when that one is gone. */

import type { Engine } from '../../engine.ts'
import type { Leases } from '../../log/open-store.ts'
import type { Fault } from '../../model/fault.ts'
import { err } from '../../model/result.ts'
import { type OneNodeOptions, type OneNodeRunner, runOnOneNode } from '../run-on-one-node.ts'
import { isPairedIn, unpairIn } from './channel-store.ts'
import { type Channel, inSettings, notPaired } from './closed-channel.ts'
import { codesInStore, createPairings, type Pairings } from './pairing.ts'

export type OneNodeChannelOptions<Id> = {
  readonly leases: Leases
  /** The channel's word in the settings, and as people call it. */
  readonly name: string
  readonly title: string
  readonly engine: Engine
  /** Chats that may speak by the settings. */
  readonly chats: readonly Id[]
  /** Makes the channel anew for each time that this node runs it. */
  readonly make: (isMine: () => boolean, pairings: Pairings) => Channel<Id>
  readonly onTrouble: (line: string) => void
  readonly onBug: (cause: unknown) => void
  readonly pace?: Pick<OneNodeOptions, 'leaseMs' | 'renewMs'>
}

export function oneNodeChannel<Id>(options: OneNodeChannelOptions<Id>): Channel<Id> {
  const { leases, name, title, engine, chats, make, onTrouble, onBug, pace = {} } = options
  const pairings = createPairings(Date.now, codesInStore(engine, name))
  const elsewhere = `${title}: another node of this gateway listens`
  let channel: Channel<Id> | undefined
  let runner: OneNodeRunner | undefined
  let trouble: string | undefined
  const onState = (found: Fault | undefined): void => {
    const line = found === undefined ? undefined : `${title}: ${found.message}`
    if (line !== undefined && line !== trouble) onTrouble(line)
    trouble = line
  }
  return {
    start: () => {
      runner = runOnOneNode(
        {
          start: isMine => {
            const started = make(isMine, pairings)
            channel = started
            started.start()
            return {
              stop: async why => {
                if (channel === started) channel = undefined
                await (why === 'lost' ? started.stop(0) : started.stop())
              },
            }
          },
          onTrouble: onState,
          onBug,
        },
        { leases, key: `channel:${name}`, ...pace },
      )
    },
    status: () =>
      channel?.status() ?? {
        running: false,
        bot: null,
        chats: chats.map(id => ({ id, source: 'settings' as const, session: null })),
        pairings: pairings.count(),
        trouble: trouble ?? elsewhere,
      },
    pair: pairings.make,
    forget: async chat => {
      if (channel !== undefined) return channel.forget(chat)
      if (chats.includes(chat)) return err(inSettings(name, String(chat)))
      const isPaired = await isPairedIn(engine, name, String(chat))
      if (!isPaired.ok) return isPaired
      return isPaired.value ? unpairIn(engine, name, String(chat)) : err(notPaired(String(chat)))
    },
    trouble: () => channel?.trouble() ?? trouble,
    stop: async () => {
      await runner?.stop()
    },
  }
}
