// One message through the whole house, from the request to the last frame of its answer, on any store.
import assert from 'node:assert/strict'
import { takeCoverage } from 'node:v8'
import { createMetrics } from '../../src/gateway/http/metrics.ts'
import { openGateway } from '../../src/gateway/http/server.ts'
import { createEngine, type Log } from '../../src/index.ts'
import type { IdKind, Mint } from '../../src/model/ids.ts'
import { settingsSchema } from '../../src/model/settings/config.ts'
import { calls, says, scriptedProvider } from '../../src/testing/scripted.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { hash } from '../../src/turn/step/measure.ts'

export const NOON: number = Date.UTC(2026, 0, 1, 12)
const counting = (): Mint => {
  const counts: Record<IdKind, number> = { ses: 0, trn: 0, rcp: 0, apr: 0, evt: 0 }
  return kind => {
    counts[kind] += 1
    return `${kind}_${counts[kind]}` as never
  }
}
const clockTool = {
  spec: { name: 'clock', description: 'Tells the time', parameters: { type: 'object', properties: {} } },
  run: async () => ({ ok: true, outcome: '12:00' }),
}

/** Sends it, and compares everything that comes of it. Closes the log. */
export async function walkThrough(log: Log): Promise<void> {
  const provider = scriptedProvider([calls('clock', {}), says('It is', ' …', ' 12:00.')])
  const engine = createEngine({
    ...{ log, provider, clock: () => NOON, mint: counting(), toolbox: toolbox([clockTool]) },
    // On a busy machine a look into the history takes longer than people wait for, and would be left out.
    limits: { historyMs: 60_000 },
  })
  const settings = settingsSchema.parse({ gateway: { port: 0 } }).gateway
  const gateway = await openGateway({
    engine,
    settings,
    metrics: createMetrics(),
    page: { has: () => false, answer: () => false },
    onBug: assert.ifError,
  })
  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  try {
    const opened = await post('/api/sessions', {})
    assert.equal(opened.status, 201)
    assert.equal(((await opened.json()) as { id: string }).id, 'ses_1')

    // Under coverage the files of the start, of the message and of the end are reported apart (scripts/walk-coverage.ts).
    takeCoverage()
    const stream = await post('/api/sessions/ses_1/messages', { text: 'What time is it?' }, { accept: 'text/event-stream' })
    assert.equal(stream.status, 200)
    const text = await stream.text()
    takeCoverage()
    const frames = text.split('\n\n').slice(0, -1).map(frameOf)
    assert.deepEqual(
      frames.map(({ id, event, data }) => [id, event, event === 'delta' ? data.text : undefined]),
      [
        ['1', 'message.received', undefined],
        ['2', 'turn.started', undefined],
        ['3', 'context.planned', undefined],
        [undefined, 'delta', '{}'],
        ['4', 'reply.finished', undefined],
        ['5', 'tool.started', undefined],
        ['6', 'tool.settled', undefined],
        ['7', 'context.planned', undefined],
        [undefined, 'delta', 'It is'],
        [undefined, 'delta', ' …'],
        [undefined, 'delta', ' 12:00.'],
        ['8', 'reply.finished', undefined],
        ['9', 'turn.ended', undefined],
      ],
    )
    const at = '2026-01-01T12:00:00.000Z'
    const turn = 'trn_1'
    assert.deepEqual(frames[0]?.data, { session: 'ses_1', seq: 1, at, text: 'What time is it?', from: 'person' })
    assert.deepEqual(frames[1]?.data, { session: 'ses_1', seq: 2, at, turn, voice: 'assistant', cause: 1 })
    assert.deepEqual(frames[9]?.data, { session: 'ses_1', turn, step: 2, kind: 'text', part: 0, offset: 5, text: ' …' })
    assert.deepEqual(frames[11]?.data.parts, [{ type: 'text', text: 'It is … 12:00.' }])
    assert.deepEqual(frames[12]?.data, { session: 'ses_1', seq: 9, at, turn, voice: 'assistant', reason: 'done' })

    const listed = (await (await fetch(`${gateway.url}/api/sessions/ses_1/events`)).json()) as {
      items: { seq: number; type: string }[]
    }
    assert.deepEqual(
      listed.items.map(({ seq, type }) => [String(seq), type]),
      frames.filter(({ id }) => id !== undefined).map(({ id, event }) => [id, event]),
    )

    assert.equal(provider.requests.length, 2, 'one request for each step')
    const receipts = frames.flatMap(({ event, data }) =>
      event === 'context.planned' ? [data.receipt as { digest: string }] : [],
    )
    assert.deepEqual(
      receipts.map(({ digest }) => digest),
      provider.requests.map(({ body }) => hash(body)),
      'a digest is of the bytes that were sent',
    )
    assert.deepEqual((JSON.parse(provider.requests[1]?.body ?? '') as { messages: unknown }).messages, [
      { role: 'user', blocks: [{ type: 'text', text: 'What time is it?' }] },
      { role: 'assistant', blocks: [{ type: 'call', call: 'c1', tool: 'clock', args: {} }] },
      { role: 'user', blocks: [{ type: 'result', call: 'c1', ok: true, text: '12:00' }] },
    ])
  } finally {
    await engine.close()
    await gateway.close()
  }
}

function frameOf(text: string): { id: string | undefined; event: string; data: Record<string, unknown> } {
  const fields = new Map(text.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]))
  return { id: fields.get('id'), event: fields.get('event') ?? '', data: JSON.parse(fields.get('data') ?? '{}') }
}
