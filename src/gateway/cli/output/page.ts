/** A page for people, and the same for programs. */
export type PrintedPage = { readonly lines: readonly string[]; readonly json: unknown }
