/** Reads `OLLAMA_HOST`, which may be a host, a port or a URL. */
const PORT = 11_434

/**
 * Turns `OLLAMA_HOST` into a URL: a host, a port or both, with or without a scheme. An address that means "all addresses" is
 * one to listen on, so a caller uses this machine instead. A value that cannot be read stays as it is.
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
  // `URL` drops the default port of a scheme, so the written text decides whether there was a port.
  if (!hasScheme && !/:\d+(\/|$)/.test(withoutAddress6(written.slice('http://'.length)))) url.port = `${PORT}`
  return url.href.replace(/\/$/, '')
}

/** An IPv6 address needs brackets before a port can follow. */
const bracketed = (host: string): string => (/^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*$/i.test(host) ? `[${host}]` : host)

const withoutAddress6 = (host: string): string => host.replace(/^\[[^\]]*\]/, '')
