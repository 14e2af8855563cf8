/** A text as it is compared: lower case, without accents. Each character stays one place, so that places found in it are the text's own. */
export function foldForSearch(text: string): string {
  let made = ''
  for (const unit of text) {
    const bare = unit.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    made += bare.length === unit.length ? bare : unit
  }
  return made
}
