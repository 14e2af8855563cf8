/** Which part of the past a voice looks at. */
export type Window = { readonly kind: 'all' } | { readonly kind: 'last'; readonly messages: number }

/** How a voice looks at a session: plain data, named and versioned. */
export type Policy = {
  readonly name: string
  readonly version: number
  readonly window: Window
  readonly budget: {
    /** The most a request may hold; null means the model's window less `reserve`. */
    readonly tokens: number | null
    /** Kept free for the reply, and its limit. */
    readonly reserve: number
  }
}

export const policyLabel = (policy: Policy): string => `${policy.name}@${policy.version}`
