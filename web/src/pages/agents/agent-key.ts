// Suggests a free key for an agent's name.
const LONGEST = 64

/** The key that a name suggests: what the gateway takes for one, as near to the name as possible. */
export function keyFrom(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-|-$/g, '')
  return /^\d+$/.test(plain) ? `agent-${plain}` : plain
}

/** The same key, or with the first free number behind it. */
export function freeKey(key: string, taken: readonly string[]): string {
  if (!taken.includes(key)) return key
  for (let number = 2; ; number += 1) {
    const next = `${key.slice(0, LONGEST - 1 - String(number).length)}-${number}`
    if (!taken.includes(next)) return next
  }
}
