import type { Aside, Material } from '../model/plan.ts'
import type { Draft } from './draft.ts'

/** A draft with the bracketed texts that stand beside the new message. */
export type Aware = Draft & { readonly asides: readonly Aside[] }

/** Puts what was gathered beside the conversation next to it; blank texts would only be noise. */
export const recall = (draft: Draft, material: Material): Aware => ({
  ...draft,
  asides: material.asides.filter(aside => aside.text.trim() !== ''),
})
