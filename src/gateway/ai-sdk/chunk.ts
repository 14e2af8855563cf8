/** A piece of a UI message stream (v1), of the kinds that are sent here. */
export type Chunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: object }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: 'text-start' | 'reasoning-start'; readonly id: string; readonly providerMetadata?: Spoken }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end' | 'reasoning-end'; readonly id: string }
  | ({ readonly type: 'tool-input-start' } & Called)
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | ({ readonly type: 'tool-input-available'; readonly input: unknown } & Called)
  | ({ readonly type: 'tool-output-available'; readonly output: unknown } & Settled)
  | ({ readonly type: 'tool-output-error'; readonly errorText: string } & Settled)
  | { readonly type: 'data-approval' | 'data-fault'; readonly id: string; readonly data: object }
  | { readonly type: 'data-notice'; readonly data: object; readonly transient: true }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'finish'; readonly finishReason: 'stop' | 'length'; readonly messageMetadata: object }

/** Who said it; every client keeps this beside the part. */
export type Spoken = { readonly turnwise: { readonly voice: string; readonly turn: string } }

/** A call that runs here: a client shows it and must not run it. */
type Called = { readonly toolCallId: string; readonly toolName: string } & Running
type Settled = { readonly toolCallId: string } & Running
type Running = { readonly providerExecuted: true; readonly dynamic: true }

export const RUNS_HERE: Running = { providerExecuted: true, dynamic: true }
