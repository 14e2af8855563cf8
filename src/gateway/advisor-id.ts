import { whyNoName } from './policies.ts'

/** Letters that Unicode does not take apart, as they are usually written without their marks. */
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

/** Room is left for a number behind it. */
const LONGEST = 48

/** An id for a name in any script that none of the others has: `Pema Chödrön` is `pema-chodron`. */
export function advisorId(name: string, taken: readonly string[]): string {
  const slug = slugOf(name)
  const base = whyNoName(slug) === undefined ? slug : ['advisor', slug].filter(part => part !== '').join('-')
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    if (!taken.includes(id)) return id
  }
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßæœøłđðþı]/g, letter => PLAIN[letter] ?? '')
    .replace(/[\p{Mark}'’]/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '')
