/** What a node hears of the others. */
import type { NodePorts } from '../../../../src/log/node-ports.ts'

export type Ears = {
  /** Every poke with all that came with it, as it came. */
  readonly heard: readonly (readonly unknown[])[]
  /** How often some pokes may have been lost. */
  readonly gaps: () => number
  /** Resolves as soon as it is so; asked after every poke and every gap. */
  readonly until: (isSo: () => boolean) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Begins to listen without waiting until pokes arrive. */
export function listenTo({ pokes }: Pick<NodePorts, 'pokes'>): Ears {
  const heard: (readonly unknown[])[] = []
  const waiting = new Set<() => void>()
  let gaps = 0
  const wake = (): void => {
    for (const look of waiting) look()
  }
  const { stop } = pokes.listen(
    (...given) => {
      heard.push(given)
      wake()
    },
    () => {
      gaps += 1
      wake()
    },
  )
  return {
    heard,
    gaps: () => gaps,
    stop,
    until: isSo =>
      new Promise(resolve => {
        const look = (): void => {
          if (!isSo()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/** Listens, and waits until pokes arrive. */
export async function openEars(nodes: Pick<NodePorts, 'pokes'>): Promise<Ears> {
  const ears = listenTo(nodes)
  await ears.until(() => nodes.pokes.arrive())
  return ears
}
