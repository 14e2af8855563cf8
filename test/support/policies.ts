import fc from 'fast-check'
import { presets } from '../../src/context/presets.ts'
import type { Policy, Window } from '../../src/model/settings/policy.ts'

const window: fc.Arbitrary<Window> = fc.oneof(
  fc.constant<Window>({ kind: 'all' }),
  fc.nat(8).map((messages): Window => ({ kind: 'last', messages })),
  fc
    .tuple(fc.nat(3), fc.integer({ min: 1, max: 6 }), fc.nat(4), fc.nat(6))
    .map(
      ([head, recent, more, noteOver]): Window => ({ kind: 'head-tail', max: head + recent + 1 + more, head, recent, noteOver }),
    ),
  fc
    .tuple(fc.integer({ min: 20, max: 150 }), fc.integer({ min: 1, max: 200 }))
    .map(([low, more]): Window => ({ kind: 'tokens', low, high: low + more })),
)

/** Policies whose requests are ordinary messages. */
export const messagePolicy: fc.Arbitrary<Policy> = fc
  .record({
    window,
    view: fc.constantFrom('all' as const, 'own' as const),
    stamps: fc.boolean(),
    thinking: fc.constantFrom('never' as const, 'current' as const),
  })
  .map(given => ({ ...presets.steady, ...given, references: given.view === 'own' ? 'last-round' : 'none' }))

/** Any policy that can work. */
export const anyPolicy: fc.Arbitrary<Policy> = fc.oneof(
  { weight: 5, arbitrary: messagePolicy },
  { weight: 1, arbitrary: fc.nat(25).map((messages): Policy => ({ ...presets.transcript, window: { kind: 'last', messages } })) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(presets)) },
)
