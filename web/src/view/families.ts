/** One session of each tree of forks: the first in the list, which is the newest if the list begins with the newest. */
export function onePerFamily<Session extends { readonly family: string }>(sessions: readonly Session[]): readonly Session[] {
  const seen = new Set<string>()
  return sessions.filter(({ family }) => {
    if (seen.has(family)) return false
    seen.add(family)
    return true
  })
}
