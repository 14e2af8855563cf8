import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { confinement } from '../../src/tool/process/confine.ts'
import { leftovers } from './ground.ts'

const isConfined = (await confinement()).length > 0

/** What runs a moment after the gateway was killed in the middle of a tool. */
async function survivors(how: 'confined' | 'free'): Promise<readonly number[]> {
  const mark = randomUUID()
  const parent = spawn(process.execPath, [join(import.meta.dirname, 'orphan-parent.ts'), mark, how], { stdio: 'inherit' })
  const running = await eventually(() => leftovers(mark).length === 1)
  assert.ok(running, 'the tool runs')
  await after(50)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  // What lives on is not waited for long; what dies may need a while on a busy machine.
  await eventually(() => leftovers(mark).length === 0, how === 'free' ? 500 : 10_000)
  const left = leftovers(mark)
  for (const pid of left) process.kill(pid, 'SIGKILL')
  return left
}

async function eventually(isTrue: () => boolean, withinMs = 10_000): Promise<boolean> {
  for (const until = performance.now() + withinMs; performance.now() < until; await after(20)) if (isTrue()) return true
  return false
}

test('a tool dies with the gateway, even when that is killed', { skip: !isConfined && 'no setpriv here' }, async () => {
  assert.equal((await survivors('free')).length, 1, 'without its words around it, it would live on')
  assert.deepEqual(await survivors('confined'), [])
})
