import type { Script } from '../src/testing/index.ts'

/** How a provider of a council behaves. */
export type Kind = 'good' | 'later' | '500' | '401' | 'silent' | 'slow' | 'talker'

/** A voice of the benchmark; each has a provider of its own. */
export type Member = { readonly id: string; readonly kind: Kind }

/** The first word of a quick service, about. */
export const LATER_MS = 300
const SLOW_MS = 400

const TEXT =
  'The harbour is closed in winter, so whoever counts on twelve months of trade has to live on seven. I would ask the bank ' +
  'before the boatyard, and the boatyard before the family. What speaks against waiting a year is only that you do not want to.'
/** Who counts nothing is not taken for one that saw only half. */
const ANSWER: Script = { says: [{ type: 'text', text: TEXT }], every: 12, usage: { input: 0 } }

const members = (kind: Kind, many: number): readonly Member[] =>
  Array.from({ length: many }, (_, index) => ({ id: `${kind}-${index + 1}`, kind }))

export const GOOD: readonly Member[] = members('good', 4)
export const LATER: readonly Member[] = members('later', 4)
export const FIFTH: Readonly<Record<'good' | 'later', Member>> = {
  good: { id: 'good-5', kind: 'good' },
  later: { id: 'later-5', kind: 'later' },
}
export const BAD: Readonly<Record<'401' | '500' | 'silent' | 'slow' | 'talker', Member>> = {
  '401': { id: 'status-401', kind: '401' },
  '500': { id: 'status-500', kind: '500' },
  silent: { id: 'silent', kind: 'silent' },
  slow: { id: 'slow', kind: 'slow' },
  talker: { id: 'talker', kind: 'talker' },
}

export const EVERYBODY: readonly Member[] = [...GOOD, ...LATER, FIFTH.good, FIFTH.later, ...Object.values(BAD)]

/** What a provider of a kind always answers; what the talker says is in council-talker.ts. */
export const SCRIPTS: Readonly<Record<Exclude<Kind, 'talker'>, Script>> = {
  good: ANSWER,
  later: { ...ANSWER, faults: [{ type: 'delayHeaders', ms: LATER_MS }] },
  '500': { faults: [{ type: 'status', code: 500 }] },
  '401': { faults: [{ type: 'status', code: 401 }] },
  silent: { faults: [{ type: 'delayHeaders', ms: 2 ** 31 - 1 }] },
  slow: {
    ...ANSWER,
    faults: [
      { type: 'delayHeaders', ms: SLOW_MS },
      { type: 'chunks', gapMs: 10 },
    ],
  },
}
