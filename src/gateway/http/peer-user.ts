/** Says which user of this machine is at the other end of a connection, where the kernel tells. */
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

/** The uid of a connection from this machine. Undefined for one from elsewhere, and on systems that do not tell. */
export async function peerUser({ remoteAddress, remotePort, localAddress, localPort }: Ends): Promise<number | undefined> {
  if (process.platform !== 'linux' || remotePort === undefined || localPort === undefined) return undefined
  // What is our remote end is the local end of the other program's socket.
  const ends = endsIn(remoteAddress, remotePort).flatMap(from => endsIn(localAddress, localPort).map(to => `${from} ${to}`))
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = await readFile(table, 'utf8').catch(() => '')
    for (const row of rows.split('\n').slice(1)) {
      const [, from, to, , , , , uid] = row.trim().split(/\s+/)
      if (ends.includes(`${from} ${to}`) && uid !== undefined && /^\d+$/.test(uid)) return Number(uid)
    }
  }
  return undefined
}

/** An address and a port as the kernel writes them, in both of its tables. Only the addresses of loopback are looked for. */
function endsIn(address: string | undefined, port: number): readonly string[] {
  const [, plain = ''] = /^(?:::ffff:)?(.*)$/i.exec(address ?? '') ?? []
  const place = port.toString(16).toUpperCase().padStart(4, '0')
  if (plain === '::1') return [`00000000000000000000000001000000:${place}`]
  if (!isIPv4(plain)) return []
  const word = plain
    .split('.')
    .toReversed()
    .map(byte => Number(byte).toString(16).toUpperCase().padStart(2, '0'))
    .join('')
  return [`${word}:${place}`, `0000000000000000FFFF0000${word}:${place}`]
}

/** Refuses a change that only the person who runs the gateway may make; undefined lets it in. */
export type OwnerCheck = (ends: Ends) => Promise<Result<never, Fault> | undefined>

/** With a token every caller has shown who they are. Where the user cannot be known, the caller counts as the owner. */
export const ownerCheck =
  (hasToken: boolean): OwnerCheck =>
  async ends => {
    const own = process.getuid?.()
    if (hasToken || own === undefined) return undefined
    const uid = await peerUser(ends)
    if (uid === undefined || uid === own || uid === 0) return undefined
    return err(
      fault('denied', 'another user of this machine may not change settings or keys; with gateway.token set, its holders may'),
    )
  }
