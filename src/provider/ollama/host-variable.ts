/** Reads `OLLAMA_HOST`, which may be a host, a port or a URL. */
const PORT = 11_434

/**
 * What `OLLAMA_HOST` means, as a URL: a host, a port or both, with a scheme or without. An address that means "all of
 * them" is one to listen on, and this machine for a caller. What cannot be read stays as it is.
 */
export function hostVariable(given: string): string {
  const text = given.trim()
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
  const host = bracketed(text)
  const written = hasScheme ? text : `http://${host.startsWith(':') ? `127.0.0.1${host}` : host}`
  if (!URL.canParse(written)) return given
  const url = new URL(written)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  // A URL forgets the port that is usual for its scheme; only one that was written counts.
  if (!hasScheme && !/:\d+(\/|$)/.test(withoutAddress6(written.slice('http://'.length)))) url.port = `${PORT}`
  return url.href.replace(/\/$/, '')
}

/** An IPv6 address on its own has no place for a port. */
const bracketed = (host: string): string => (/^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*$/i.test(host) ? `[${host}]` : host)

const withoutAddress6 = (host: string): string => host.replace(/^\[[^\]]*\]/, '')
