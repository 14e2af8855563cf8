/** Waits for work, but no longer than this many milliseconds. */
export async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
