// A log in a process of its own: opens the file it is given, says so, then does what it is told, one line at a time.
import { createInterface } from 'node:readline'
import { weigh } from '../../src/context/text/tokens.ts'
import type { Log } from '../../src/log/ports.ts'
import { sqliteLog } from '../../src/log/sqlite/sqlite-log.ts'

const [file = '', readOnly] = process.argv.slice(2)
const answer = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)
const log = await sqliteLog({ file, clock: Date.now, weigh, readOnly: readOnly === 'read-only' })
answer(log.ok ? { ok: true, value: null } : log)
if (log.ok) {
  for await (const line of createInterface(process.stdin)) {
    const { verb, args } = JSON.parse(line) as { verb: keyof Log; args: readonly unknown[] }
    answer((await (log.value[verb] as (...args: readonly unknown[]) => Promise<unknown>)(...args)) ?? null)
  }
  await log.value.close()
}
