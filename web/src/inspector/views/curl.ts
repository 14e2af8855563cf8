// Writes a request as a curl command.

/** The headers for a provider's key: never the key itself, only the name of a shell variable. */
function headersFor(url: URL, wire: string): readonly string[] {
  if (wire.startsWith('anthropic')) return ['x-api-key: $ANTHROPIC_API_KEY', 'anthropic-version: 2023-06-01']
  if (wire.startsWith('ollama')) return []
  if (url.hostname === 'openrouter.ai') return ['authorization: Bearer $OPENROUTER_API_KEY']
  return [url.hostname === 'api.openai.com' ? 'authorization: Bearer $OPENAI_API_KEY' : 'authorization: Bearer $API_KEY']
}

/** The same request as a curl command; null if it goes to no server, as with the demo. */
export function curlOf({ url, body }: { readonly url: string; readonly body: unknown }, wire: string): string | null {
  if (!URL.canParse(url)) return null
  const address = new URL(url)
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return null
  const headers = headersFor(address, wire)
  return [
    `curl ${quoted(url)}`,
    `-H ${quoted('content-type: application/json')}`,
    // In double quotes, so that the shell puts the key in.
    ...headers.map(header => `-H "${header}"`),
    `--data-raw ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

/** Quotes any text as one word for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** As many bytes as go over the wire. */
export const bodyBytes = (body: unknown): number => new TextEncoder().encode(JSON.stringify(body)).length
