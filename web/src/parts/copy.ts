/** Puts a text on the clipboard; false where the browser does not allow it, as to pages that came over plain http. */
export async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard === undefined) return false
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}
