// Runs something with the next frame, or shortly after if the tab draws none.

/** A tab in the background gets no frames, not even one that it had already requested. */
const LATEST_MS = 200

/** Runs with the next frame. If none comes, runs a moment later all the same, so that what was heard does not pile up. */
export function nextFrame(act: () => void): void {
  const once = (): void => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    act()
  }
  const frame = requestAnimationFrame(once)
  const timer = setTimeout(once, LATEST_MS)
}
