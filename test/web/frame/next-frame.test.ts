import assert from 'node:assert/strict'
import { afterEach, mock, test } from 'node:test'
import { nextFrame } from '../../../web/src/frame/next-frame.ts'

/** A browser that gives frames only when told to. */
function frames(): { readonly give: () => void } {
  const promised = new Map<number, () => void>()
  let last = 0
  Object.assign(globalThis, {
    requestAnimationFrame: (act: () => void) => {
      last += 1
      promised.set(last, act)
      return last
    },
    cancelAnimationFrame: (frame: number) => promised.delete(frame),
  })
  return { give: () => [...promised.values()].forEach(act => void act()) }
}

afterEach(() => mock.timers.reset())

test('it comes with the frame, once', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { give } = frames()
  let times = 0
  nextFrame(() => (times += 1))
  assert.equal(times, 0)
  give()
  mock.timers.tick(1000)
  give()
  assert.equal(times, 1)
})

test('where a promised frame never comes, as in a tab that was put away, it comes all the same', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { give } = frames()
  let times = 0
  nextFrame(() => (times += 1))
  mock.timers.tick(1000)
  assert.equal(times, 1)
  give()
  assert.equal(times, 1)
})
