/** The context engine for other people's programs: material in, plan and receipt out, no I/O. */
export type { Aside, Block, Material, Message, Plan, SystemPart, ToolSpec } from '../model/plan.ts'
export type { Policy, Window } from '../model/policy.ts'
export type { InLine, OutLine, Receipt, ReceiptDraft } from '../model/receipt.ts'
export { assemble } from './assemble.ts'
export { explain, explainReceipt } from './explain.ts'
export { presets } from './presets.ts'
export type { Measure } from './render.ts'
export { count, weigh } from './tokens.ts'
