/** A person at the other end of the toy channel, who sends a message again until the channel has taken it. */
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Scope } from '../../support/gateway.ts'

export type ShownLine = { readonly message: string; readonly text: string; readonly replyTo?: string; readonly edits: number }

export type Person = {
  readonly connect: (port: number) => void
  readonly say: (id: string, text: string) => void
  /** The messages that the person sees, in the order they came. */
  readonly shown: () => readonly ShownLine[]
  /** The messages of the person that the channel has acknowledged. */
  readonly taken: ReadonlySet<string>
  readonly notices: readonly string[]
  /** Waits until something holds. */
  readonly until: (what: string, holds: () => boolean) => Promise<void>
}

const MOST_MS = 30_000

export function createPerson(t: Scope, chat: string): Person {
  const shown = new Map<string, ShownLine>()
  const taken = new Set<string>()
  const notices: string[] = []
  const waiting = new Set<() => void>()
  const said: { readonly id: string; readonly text: string }[] = []
  let socket: Socket | undefined
  t.after(() => socket?.destroy())

  const write = (message: { readonly id: string; readonly text: string }): void => {
    socket?.write(`${JSON.stringify({ chat, ...message })}\n`)
  }
  const read = (line: string): void => {
    const came = JSON.parse(line) as { taken?: string; removed?: string; notice?: string; message?: string } & ShownLine
    if (came.taken !== undefined) taken.add(came.taken)
    if (came.removed !== undefined) shown.delete(came.removed)
    if (came.notice !== undefined) notices.push(came.notice)
    if (came.message !== undefined) {
      const before = shown.get(came.message)
      shown.set(came.message, { ...before, ...came, edits: before === undefined ? 0 : before.edits + 1 })
    }
    for (const look of waiting) look()
  }
  return {
    ...{ taken, notices },
    connect: port => {
      socket?.destroy()
      const fresh = connect(port, '127.0.0.1')
      fresh.on('error', () => fresh.destroy())
      createInterface({ input: fresh }).on('line', read)
      socket = fresh
      for (const message of said) if (!taken.has(message.id)) write(message)
    },
    say: (id, text) => {
      said.push({ id, text })
      write({ id, text })
    },
    shown: () => [...shown.values()],
    until: (what, holds) =>
      new Promise((resolve, reject) => {
        const seen = (): string => JSON.stringify([...shown.values()].map(({ text }) => text))
        const late = setTimeout(() => reject(new Error(`${what} did not come; the person sees ${seen()}`)), MOST_MS)
        const look = (): void => {
          if (!holds()) return
          clearTimeout(late)
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
