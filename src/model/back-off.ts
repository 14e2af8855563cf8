/** How long to wait before the next try. */

/** Twice as long after each failure in a row, up to a longest wait; `failures` counts from 0. */
export const doubledWait = (firstMs: number, mostMs: number, failures: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20))
