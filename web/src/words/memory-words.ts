// Words for what is remembered between chats.
import type { Reach } from '../../../src/model/event.ts'
import type { RecallFrom } from '../../../src/model/recall.ts'
import type { FollowState } from '../../../src/model/receipt.ts'
import { formatCount } from './words.ts'

/** Where a pin counts, to choose from. */
export const REACH_WORDS: Readonly<Record<Reach, string>> = {
  session: 'This chat',
  project: 'This project',
  everywhere: 'Every chat',
}

const PINNED: Readonly<Record<Reach, string>> = {
  session: 'Pinned',
  project: 'Pinned in this project',
  everywhere: 'Pinned in every chat',
}

/** The word beside a pinned message. */
export const pinnedWords = (reach: Reach = 'session'): string => PINNED[reach]

/** Where a pin counts, on the page that lists pins of all chats. */
export const pinReachWords = (reach: Reach): string =>
  ({ session: 'In its chat', project: 'In its project', everywhere: 'In every chat' })[reach]

/** Where earlier messages are looked up, as a setting. */
export const RECALL_CHOICES: readonly (readonly [RecallFrom, string])[] = [
  ['session', 'This chat'],
  ['project', 'Its project'],
  ['everywhere', 'All chats'],
]

const RECALL_MEANS: Readonly<Record<RecallFrom, string>> = {
  session: 'A chat recalls only what was said in it.',
  project: 'A chat recalls what was said in the other chats of its project. Chats without a project recall only themselves.',
  everywhere: 'A chat recalls what was said in every other chat.',
}

export const recallMeans = (from: RecallFrom): string => RECALL_MEANS[from]

/** Where a chat can recall from, besides itself. */
export type RecallScope = { readonly from: 'project'; readonly project: string } | { readonly from: 'everywhere' }

/** The same in a sentence. */
export const recallScopeWords = (scope: RecallScope): string =>
  scope.from === 'everywhere' ? 'Can recall from all chats' : `Can recall from other chats in ${scope.project}`

export const PRIVATE = 'Private: never quoted in other chats'

/** How the window changed because of what replies needed; null if there is nothing to say. */
export function followWords({ times, reason }: FollowState, high: number | null = null): string | null {
  const size = high === null ? `${factor(times)} its first size` : `${formatCount(high)} tokens`
  switch (reason) {
    case 'grown':
      return `Window grew to ${size}, because replies needed more than it showed`
    case 'shrunk':
      return `Window shrank to ${size}, because no reply needed more than it showed`
    case 'limit':
      return 'Replies needed more than the window showed, but it cannot grow further'
    case 'balance':
      return 'Replies needed more than the window showed, but growing would cost more than hiding the past has saved'
    default:
      return times === 1 ? null : `Window is ${size}, because of what earlier replies needed`
  }
}

const factor = (times: number): string => `${times.toFixed(2).replace(/\.?0+$/, '')} times`
