import type { Page } from 'playwright-core'

/** How far apart frames are, noted in the page itself. */
export const beginFrames = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const frames: number[] = []
    let last = performance.now()
    const next = (now: number): void => {
      frames.push(now - last)
      last = now
      requestAnimationFrame(next)
    }
    requestAnimationFrame(now => {
      last = now
      requestAnimationFrame(next)
    })
    Object.assign(globalThis, { frames })
  })

export const endFrames = (page: Page): Promise<readonly number[]> =>
  page.evaluate(() => (globalThis as unknown as { frames: readonly number[] }).frames)
