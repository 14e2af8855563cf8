/** The text of a settled call. */

/** What a model reads of a settled call: the outcome, and below a blank line the content where there is any. */
export const resultText = (settled: { readonly outcome: string; readonly content?: string }): string =>
  settled.content === undefined ? settled.outcome : `${settled.outcome}\n\n${settled.content}`
