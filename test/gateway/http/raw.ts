import { connect, type Socket } from 'node:net'

/** A connection without any client's good manners. */
export type Line = {
  readonly socket: Socket
  readonly received: () => string
  /** Everything received, once it fits. */
  readonly until: (pattern: RegExp) => Promise<string>
  /** Everything received, once the other side has closed. */
  readonly closed: Promise<string>
}

export type Answer = { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string }

export type From = { readonly host?: string; readonly localAddress?: string }

export function dial(port: number, { host = '127.0.0.1', localAddress }: From = {}): Line {
  const socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) })
  const waiting = new Set<() => void>()
  let text = ''
  let over = false
  const stir = (): void => {
    for (const look of waiting) look()
  }
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    stir()
  })
  // A reset is one way of being closed.
  socket.on('error', () => undefined)
  const closed = new Promise<string>(resolve => {
    socket.on('close', () => {
      over = true
      stir()
      resolve(text)
    })
  })
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!over && !pattern.test(text)) return
        waiting.delete(look)
        if (pattern.test(text)) resolve(text)
        else reject(new Error(`closed before ${pattern}: ${text}`))
      }
      waiting.add(look)
      look()
    })
  return { socket, received: () => text, until, closed }
}

/** The bytes of a request's head. Header lines are given as they are sent, so that they can be missing, twice or wrong. */
export const head = (line: string, ...headers: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`

/** Sends bytes and reads until the other side closes. */
export async function exchange(port: number, bytes: string | Buffer, from: From = {}): Promise<Answer> {
  const line = dial(port, from)
  line.socket.write(bytes)
  const answer = parseAnswer(await line.closed)
  line.socket.destroy()
  return answer
}

export function parseAnswer(text: string): Answer {
  const [top = '', ...rest] = text.split('\r\n\r\n')
  const [status = '', ...lines] = top.split('\r\n')
  const headers = new Map(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const),
  )
  const sent = rest.join('\r\n\r\n')
  const body = headers.get('transfer-encoding') === 'chunked' ? unchunked(sent) : sent
  return { status: Number(status.split(' ')[1] ?? 0), headers, body: Buffer.from(body, 'latin1').toString('utf8') }
}

function unchunked(sent: string): string {
  let body = ''
  for (let at = 0; ; ) {
    const end = sent.indexOf('\r\n', at)
    const size = end < 0 ? 0 : Number.parseInt(sent.slice(at, end), 16)
    if (!(size > 0)) return body
    body += sent.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}
