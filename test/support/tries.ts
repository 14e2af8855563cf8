/** How often a property is tried: as often as said, or a tenth of that in a quick run. */
export const tries = (many: number): { readonly numRuns: number } => ({
  numRuns: process.env.TURNWISE_TEST_RUNS === 'few' ? Math.ceil(many / 10) : many,
})
