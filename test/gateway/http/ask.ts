import { request } from 'node:http'
import type { Answer } from './raw.ts'

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request with exactly these headers, browsers' own included, which `fetch` would not let a test set. */
export function askWith(
  port: number,
  method: string,
  path: string,
  {
    headers = {},
    body,
    localAddress,
  }: { readonly headers?: Headers; readonly body?: string; readonly localAddress?: string } = {},
): Promise<Answer> {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>
  return new Promise((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: { ...given, ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
      ...(localAddress === undefined ? {} : { localAddress }),
    })
    asked.on('error', reject)
    asked.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    asked.end(body)
  })
}
