/** Puts a text on the clipboard; returns false if the browser forbids it, as it does for pages over plain http. */
export async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard === undefined) return false
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}
