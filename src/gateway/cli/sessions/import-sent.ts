// Sends a file to a running gateway to import it.
import type { ImportProgress, ImportReport } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { GatewayAddress } from '../../workspace/workspace.ts'
import { faultIn } from '../talk/attached.ts'
import type { ImportWish } from './import.ts'

const GONE: Fault = fault('unreachable', 'the gateway went away before the import was done')

/** Sends a file to a running gateway as it is read, and receives its progress. */
export async function sendFile(
  { url, token }: GatewayAddress,
  bytes: AsyncIterable<Uint8Array>,
  { format, abort, onProgress }: ImportWish,
): Promise<Result<ImportReport, Fault>> {
  const query = format === undefined ? '' : `?format=${format}`
  try {
    const request: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: { accept: 'text/event-stream', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      body: streamOf(bytes),
      duplex: 'half',
      signal: abort,
    }
    const response = await fetch(`${url}/api/import${query}`, request)
    if (!response.ok) return err(await faultIn(response))
    return await lastOf(response, onProgress)
  } catch {
    return err(GONE)
  }
}

/** The gateway's answer is not checked: it is our own program on the same workspace. */
async function lastOf(response: Response, onProgress: (progress: ImportProgress) => void): Promise<Result<ImportReport, Fault>> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const [, event, data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(frame) ?? []
      if (event === 'progress') onProgress(JSON.parse(data) as ImportProgress)
      if (event === 'done') return ok(JSON.parse(data) as ImportReport)
      if (event === 'fault') return err(JSON.parse(data) as Fault)
    }
  }
  return err(GONE)
}

/** Reads only as fast as it sends. */
function streamOf(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async controller => {
      const next = await source.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => void (await source.return?.()),
  })
}
