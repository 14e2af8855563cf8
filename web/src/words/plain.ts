/** Folds a text for comparison: lower case, no accents. Characters keep their positions, so hits fit the original text. */
export function foldForSearch(text: string): string {
  let made = ''
  for (const unit of text) {
    const bare = unit.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    made += bare.length === unit.length ? bare : unit
  }
  return made
}
