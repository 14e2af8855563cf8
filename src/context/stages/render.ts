/** Stage 7, render: beats become messages, with system text, tools, notes and asides around them. */
import type { Material, PlanItem } from '../../model/plan.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { Measure } from '../text/tokens.ts'
import { CLOSED_TEXTS, type TranscriptForm } from '../transcript/format.ts'
import { transcriptItems } from '../transcript/items.ts'
import type { Aware, Beat, LeftOut } from './draft.ts'
import { asideItems, beatItem, frontItems, type ItemLabel, noteItem, systemItem, toolItems } from './plan-items.ts'

export type Rendered = {
  readonly items: readonly PlanItem[]
  readonly left: readonly LeftOut[]
}

/** Beats become messages; system text, tools, notes and asides take their places around them. */
export function render(
  aware: Aware,
  material: Material,
  policy: Pick<Policy, 'render'>,
  measure: Measure,
  form: TranscriptForm = CLOSED_TEXTS,
): Rendered {
  return {
    items: [
      ...material.system.map(part => systemItem(part, measure)),
      ...toolItems(material.tools, measure),
      ...(policy.render === 'transcript' ? transcriptItems(aware, material, measure, form) : messageItems(aware, measure)),
    ],
    left: aware.left,
  }
}

function messageItems({ pinned, head, folds, note, pins, past, asides, current }: Aware, measure: Measure): PlanItem[] {
  const summary = past.filter(beat => beat.kind === 'summary')
  const said = past.filter(beat => beat.kind !== 'summary')
  return [
    ...(pinned ? frontItems(pinned, measure) : []),
    ...summary.map(beat => beatItem(beat, SUMMARY, measure)),
    ...head.map(beat => beatItem(beat, inPart(beat) ?? HEAD, measure)),
    ...(folds ? frontItems(folds, measure) : []),
    ...(note === null ? [] : [noteItem(note.text, note.role, measure)]),
    ...pins.map(beat => beatItem(beat, inPart(beat) ?? PIN, measure)),
    ...said.map(beat => beatItem(beat, inPart(beat) ?? PAST, measure)),
    ...asides.flatMap(aside => asideItems(aside, measure)),
    ...current.map(beat => beatItem(beat, beat.kind === 'said' ? CYCLE : CURRENT, measure)),
  ]
}

/** Messages that are shown in part have a line of their own, wherever they are. */
const inPart = (beat: Beat): ItemLabel | undefined => (beat.kind !== 'summary' && beat.isExcerpt === true ? EXCERPT : undefined)

const EXCERPT: ItemLabel = { kind: 'message', reason: 'recent.excerpt' }
const HEAD: ItemLabel = { kind: 'message', reason: 'head.first' }
const SUMMARY: ItemLabel = { kind: 'note', reason: 'summary.folded' }
const PIN: ItemLabel = { kind: 'message', reason: 'pin.person' }
const PAST: ItemLabel = { kind: 'message', reason: 'recent.window' }
const CURRENT: ItemLabel = { kind: 'current', reason: 'current.message' }
const CYCLE: ItemLabel = { kind: 'current', reason: 'current.cycle' }
