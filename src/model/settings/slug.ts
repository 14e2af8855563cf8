/** Keys made from names in any script. */

/** Letters that Unicode does not take apart, as they are usually written without their marks. */
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

/** Room is left for a number behind it. */
const LONGEST = 48

/** A name in any script as a key: `Pema Chödrön` is `pema-chodron`. Empty if no letter or digit of the name can be written that way. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[ßæœøłđðþı]/g, letter => PLAIN[letter] ?? '')
    .replace(/[\p{Mark}'’]/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '')
