/** The same cases in every run, unless others are asked for: `npm run test:long` does, with `TURNWISE_TEST_SEED=random`. */
const USUAL_SEED = 20_261

const { TURNWISE_TEST_RUNS: runs, TURNWISE_TEST_SEED: given } = process.env

/** Said in what fails, so that it can be given again. */
export const SEED: number = given === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(given ?? USUAL_SEED)

/** How often a property is tried, and with which cases: as often as said, a tenth of that in a quick run, ten times in a long one. */
export const tries = (many: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns: runs === 'few' ? Math.ceil(many / 10) : runs === 'many' ? many * 10 : many,
  seed: SEED,
})
