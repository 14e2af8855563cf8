/** Where a request goes, and the headers it carries. */
import type { ProviderSetting } from '../../model/provider.ts'
import type { ProviderDescriptor } from '../descriptor.ts'

/** A request's URL and headers. Header names are in lower case. */
export type Addressed = { readonly url: URL; readonly headers: Readonly<Record<string, string>> }

/** Throws if the settings give no usable address, or a header that HTTP cannot carry. */
export function address(
  { baseURL = '', headers }: Pick<ProviderDescriptor, 'baseURL' | 'headers'>,
  path: string,
  setting: ProviderSetting,
): Addressed {
  const base = (setting.baseURL || baseURL).replace(/\/$/, '')
  const sent = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'Turnwise',
    ...headers(setting.apiKey ?? ''),
    ...lowerCased(setting.headers),
  }
  // `Headers` refuses values that would split a request in two.
  return { url: new URL(base + path), headers: Object.fromEntries(new Headers(sent)) }
}

/** Two spellings of one header would be sent as two headers. */
const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
