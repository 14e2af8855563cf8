/** The address of a session within the page; the empty string is the start. */
export const sessionHash = (session: string | null): string => (session === null ? '#/' : `#/s/${encodeURIComponent(session)}`)

export function sessionOfHash(hash: string): string | null {
  const found = /^#\/s\/([^/?#]+)$/.exec(hash)?.[1]
  if (found === undefined) return null
  try {
    return decodeURIComponent(found)
  } catch {
    return null
  }
}
