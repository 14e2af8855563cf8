/** Says which user of this machine is at the other end of a connection, and refuses changes that are not theirs to make. */
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'

type Ends = {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/** A uid; `gone` for a connection that is over, which has no user any more; `unknown` where the kernel does not say. */
export type Peer = number | 'gone' | 'unknown'

const OPEN = '01'
const LISTENING = '0A'

/**
 * Who is at the other end. Only an open connection has a user: the kernel lists one that its program has closed as root's, or
 * not at all. That we listen must be in the table, too, or it is not the table of this machine.
 */
export async function peerUser({ remoteAddress, remotePort, localAddress, localPort }: Ends): Promise<Peer> {
  if (process.platform !== 'linux') return 'unknown'
  if (remotePort === undefined || localPort === undefined) return 'gone'
  if (!isLoopbackEnd(remoteAddress)) return 'unknown'
  // What is our remote end is the local end of the other program's socket.
  const ends = endsIn(remoteAddress, remotePort).flatMap(from => endsIn(localAddress, localPort).map(to => `${from} ${to}`))
  const listening = new RegExp(`:${hexPort(localPort)}$`)
  let isListed = false
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = await readFile(table, 'utf8').catch(() => '')
    for (const row of rows.split('\n').slice(1)) {
      const [, from = '', to = '', state, , , , uid] = row.trim().split(/\s+/)
      if (state === LISTENING && listening.test(from)) isListed = true
      if (state === OPEN && ends.includes(`${from} ${to}`) && uid !== undefined && /^\d+$/.test(uid)) return Number(uid)
    }
  }
  return isListed ? 'gone' : 'unknown'
}

const isLoopbackEnd = (address: string | undefined): boolean => /^(?:(?:::ffff:)?127\.|::1$)/i.test(address ?? '')

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')

/** An address and a port as the kernel writes them, in both of its tables. */
function endsIn(address: string | undefined, port: number): readonly string[] {
  const [, plain = ''] = /^(?:::ffff:)?(.*)$/i.exec(address ?? '') ?? []
  if (plain === '::1') return [`00000000000000000000000001000000:${hexPort(port)}`]
  if (!isIPv4(plain)) return []
  const word = plain
    .split('.')
    .toReversed()
    .map(byte => Number(byte).toString(16).toUpperCase().padStart(2, '0'))
    .join('')
  return [`${word}:${hexPort(port)}`, `0000000000000000FFFF0000${word}:${hexPort(port)}`]
}

/** Refuses a change that only the person who runs the gateway may make; undefined lets it in. */
export type OwnerCheck = (ends: Ends) => Promise<Result<never, Fault> | undefined>

/** With a token every caller has shown who they are. Where the kernel does not say whose a connection is, all are let in. */
export const ownerCheck =
  (hasToken: boolean): OwnerCheck =>
  async ends => {
    const own = process.getuid?.()
    if (hasToken || own === undefined) return undefined
    const peer = await peerUser(ends)
    if (peer === 'unknown' || peer === own || peer === 0) return undefined
    return err(
      fault('denied', 'only the user who runs this gateway can change settings and keys; to allow others, set gateway.token'),
    )
  }
