/** The context engine for other people's programs: material in, plan and receipt out, no I/O. */
export type { Aside, Block, Material, Message, Plan, SystemPart, ToolSpec } from '../model/plan.ts'
export type { InLine, OutLine, Receipt, ReceiptDraft, WindowState } from '../model/receipt.ts'
export type { Policy, Window } from '../model/settings/policy.ts'
export { assemble, assembleWith } from './assemble.ts'
export { whyRefused } from './bounds.ts'
export { type Conversation, type ConversationMessage, materialOf, measure } from './conversation.ts'
export { presets } from './presets.ts'
export { difference, lint } from './receipt/cache-lint.ts'
export { explain, explainReceipt } from './receipt/explain.ts'
export type { Measure } from './text/tokens.ts'
export { count, weigh } from './text/tokens.ts'
export { WINDOW_KINDS, type WindowKinds } from './window/kinds.ts'
export type {
  AnyWindow,
  Choice,
  Choosing,
  PartToRead,
  ReadingInput,
  Unit,
  WindowKind,
  WindowRules,
} from './window/window-kind.ts'
