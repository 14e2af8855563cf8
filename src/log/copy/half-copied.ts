/** Marks a store that a copy is being written to, so that no gateway takes half a house for a whole one. */

/**
 * Added to the version of a store's tables while a copy goes on. Every program refuses tables that are newer than it knows, so those
 * that know nothing of copies refuse them too.
 */
export const HALF_COPIED = 1_000_000

/** What everything but a copy is told of such a store. */
export const whyHalfCopied = (store: string, remedy: string): string =>
  `${store} has only a part of a house: a copy into it was not finished; run the same "turnwise copy" again, or ${remedy}`
