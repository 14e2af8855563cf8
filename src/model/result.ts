/** Either a value or ordinary trouble; a bug is thrown instead. */
export type Result<Value, Trouble> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: Trouble }

export const ok = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({ ok: true, value })

export const err = <Trouble>(fault: Trouble): { readonly ok: false; readonly fault: Trouble } => ({ ok: false, fault })
