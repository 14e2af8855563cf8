// Decides which addresses a link in a text may lead to.

/** An address that a person may follow: http, https or mailto, and nothing hidden in it. */
export type AllowedAddress = string & { readonly allowed: 'address' }

const LONGEST = 2048

/** Controls, spaces, marks without a shape or that turn the direction of writing, and what browsers take for a slash. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s\\]/u

/** Null where the address is of any other kind; then its link is shown as the text it is. */
export function allowedAddressOf(written: string): AllowedAddress | null {
  if (written.length > LONGEST || HIDDEN.test(written)) return null
  if (!/^(?:https?:\/\/[^/]|mailto:[^/])/i.test(written)) return null
  const url = URL.parse(written)
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null
  // An author can write a trusted host name before an @ to mislead the reader.
  if (url.username !== '' || url.password !== '') return null
  return url.href as AllowedAddress
}

/** Where an address leads, in a few letters: a host, or for mail whom it goes to. */
export function hostOf(address: AllowedAddress): string {
  const { protocol, host, pathname } = new URL(address)
  return protocol === 'mailto:' ? pathname : host
}

/** The real host, if the words of a link name another one; else null. */
export function otherHost(words: string, address: AllowedAddress): string | null {
  const named = hostNamed(words)
  const host = hostOf(address)
  return named === null || bare(named) === bare(host) ? null : host
}

/** Letters of other widths and dots of other scripts are what they look like; what has no shape is not there. */
const seen = (words: string): string =>
  words
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[。｡]/g, '.')
    .trim()

const NAME = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*`
const HOST = String.raw`(?:${NAME}\.)+\p{L}[\p{L}\p{N}-]+(?::\d+)?`
const WITH_SCHEME = /\b[a-z][a-z\d+.-]{0,15}:\/\/(?:[^\s/@]*@)?([^\s/?#]+)/iu
const WITH_WWW = new RegExp(String.raw`\b(www\.${HOST})`, 'iu')
const MAIL = new RegExp(String.raw`^(?:mailto:)?(\S{1,64}@${HOST})$`, 'iu')
const ALONE = new RegExp(String.raw`^(${HOST})(?:[/?#]\S*)?$`, 'iu')

/** Words this long are no address in disguise, and looking for one would take a while. */
const LOOKED_AT = 1000

function hostNamed(words: string): string | null {
  const shape = seen(words.slice(0, LOOKED_AT))
  for (const pattern of [WITH_SCHEME, WITH_WWW, MAIL, ALONE]) {
    const named = pattern.exec(shape)?.[1]
    if (named !== undefined) return named
  }
  return null
}

/** As a browser writes it, so that letters of another alphabet do not pass for ours. */
function bare(host: string): string {
  const written = host.includes('@') ? host : (URL.parse(`http://${host}`)?.host ?? host)
  return written.toLowerCase().replace(/^www\./, '')
}
