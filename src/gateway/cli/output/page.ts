/** A page for people, and the same for programs. */
export type Page = { readonly lines: readonly string[]; readonly json: unknown }
