/** A tab in the background is given no frames, not even one it was promised before. */
const LATEST_MS = 200

/** With the next frame; where none comes, a moment later all the same, so that what was heard does not pile up. */
export function nextFrame(act: () => void): void {
  const once = (): void => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    act()
  }
  const frame = requestAnimationFrame(once)
  const timer = setTimeout(once, LATEST_MS)
}
