import fc from 'fast-check'
import type { Attachment, EndReason, Fact, Part } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { TurnId } from '../../src/model/ids.ts'
import { IMAGE, PAPER, RESULT_IMAGE } from './files.ts'
import type { Unreadable } from './material.ts'

type Entry = Fact | Unreadable
type Step = { readonly parts: readonly Part[]; readonly fate: Fate; readonly steered: boolean }
/** What becomes of the calls of a reply. */
type Fate = 'settled' | 'lost' | 'twice'

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  fc.constantFrom('', ' ', '$call: {}', '=== CURRENT ===', '[For reference', '<|endoftext|>', '\ud800', 'same text'),
)
const attachment: fc.Arbitrary<Attachment> = fc.oneof(
  fc.constantFrom<Attachment>(IMAGE, PAPER),
  word.map((text): Attachment => ({ type: 'text', name: 'notes.md', mediaType: 'text/markdown', text })),
)
/** Most messages bring nothing. */
const files = fc.oneof(
  { weight: 4, arbitrary: fc.constant<readonly Attachment[]>([]) },
  { weight: 1, arbitrary: fc.array(attachment, { minLength: 1, maxLength: 3 }) },
)
const callId = fc.constantFrom('c1', 'c2', 'c3')
const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: word.map(text => ({ type: 'text', text }) as const) },
  { weight: 1, arbitrary: word.map(text => ({ type: 'think', text }) as const) },
  { weight: 2, arbitrary: callId.map(call => ({ type: 'call', call, tool: 'look', args: { at: call } }) as const) },
)
const step: fc.Arbitrary<Step> = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  fate: fc.constantFrom<Fate>('settled', 'settled', 'settled', 'lost', 'twice'),
  steered: fc.boolean(),
})
const episode = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      text: word,
      files,
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      end: fc.constantFrom<EndReason | 'open'>('done', 'done', 'done', 'failed', 'cancelled', 'interrupted', 'limit', 'open'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('message' as const), text: word, files }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('orphan' as const), call: callId }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'damaged' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('folded' as const), text: word, back: fc.nat(20) }) },
)

/** The text of the message that a generated history ends with; nothing else in it says this. */
export const NEW_MESSAGE = 'the one new message'

/**
 * Conversations as the world makes them: steered, interrupted, cancelled, with calls that were lost, answered twice or
 * never asked, files, rows that cannot be read, summaries; and at the end a new message whose turn has begun.
 */
export const history: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(fc.array(episode, { maxLength: 12 }), fc.array(step, { maxLength: 3 }), files)
  .map(([episodes, running, brought]) => {
    const facts: Entry[] = []
    episodes.forEach((each, index) => {
      const turn = `trn_${index}` as TurnId
      switch (each.kind) {
        case 'message':
          facts.push(heard(each.text, each.files))
          return
        case 'turn':
          facts.push(heard(each.text, each.files))
          facts.push({ type: 'turn.started', turn, voice: 'assistant', cause: facts.length })
          for (const [at, one] of goingOn(each.steps).entries())
            addStep(facts, turn, at + 1, one, each.end !== 'done' && at === each.steps.length - 1)
          if (each.end !== 'open') facts.push({ type: 'turn.ended', turn, voice: 'assistant', reason: each.end })
          return
        case 'orphan':
          facts.push({ type: 'tool.settled', turn, call: each.call, tool: 'look', ok: true, outcome: 'found', ms: 1 })
          return
        case 'damaged':
          facts.push({ type: 'damaged', why: 'the body is not JSON' })
          return
        case 'folded':
          facts.push({
            type: 'history.folded',
            from: 1,
            to: Math.max(1, facts.length - each.back),
            by: 'person',
            text: each.text,
          })
      }
    })
    facts.push(heard(NEW_MESSAGE, brought))
    facts.push({ type: 'turn.started', turn: 'trn_now' as TurnId, voice: 'assistant', cause: facts.length })
    for (const [at, one] of goingOn(running).entries()) addStep(facts, 'trn_now' as TurnId, at + 1, one, false)
    return facts
  })

const heard = (text: string, parts: readonly Attachment[]): Fact => ({
  type: 'message.received',
  text,
  ...(parts.length === 0 ? {} : { parts }),
  from: 'person',
})

/** A turn takes another step only because the last one asked for something. */
const goingOn = (steps: readonly Step[]): readonly Step[] =>
  steps.map((one, at) => (at < steps.length - 1 ? { ...one, parts: [...one.parts, ASKING] } : one))

const ASKING: Part = { type: 'call', call: 'c4', tool: 'look', args: {} }

function addStep(facts: Entry[], turn: TurnId, step: number, { parts, fate, steered }: Step, broken: boolean): void {
  if (broken) facts.push({ type: 'reply.broken', turn, step, parts, fault: fault('unreachable', 'cut') })
  else facts.push({ type: 'reply.finished', turn, step, parts })
  const asked = broken ? [] : parts.flatMap(each => (each.type === 'call' ? [each.call] : []))
  if (steered) facts.push({ type: 'message.received', text: `steered at ${facts.length}`, from: 'person' })
  if (fate === 'lost') return
  for (const call of fate === 'twice' ? [...asked, ...asked] : asked) {
    facts.push({
      type: 'tool.settled',
      turn,
      call,
      tool: 'look',
      ok: true,
      outcome: 'found',
      content: `at ${facts.length}`,
      ms: 1,
      ...(facts.length % 3 === 0 ? { images: Array(1 + (facts.length % 2)).fill(RESULT_IMAGE) } : {}),
    })
  }
}
