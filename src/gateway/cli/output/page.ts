/** A page of output: lines for people, and the same as JSON for programs. */
export type PrintedPage = { readonly lines: readonly string[]; readonly json: unknown }
