/** Takes keys and secret headers out of what a provider says. */
import type { ProviderSetting } from '../../model/provider.ts'

const REDACTED = '[redacted]'
/** Anything shorter counts as a word that people must be able to read. */
const SHORTEST_SECRET = 8

/** A provider may quote the key it refuses, or another secret it was sent. No part of a secret may be shown. */
export function redactor({ apiKey = '', headers = {} }: ProviderSetting): (text: string) => string {
  // The last word of `Bearer …` may be quoted alone.
  const sent = Object.values(headers).flatMap(value => [value, value.split(/\s/).at(-1) ?? ''])
  const secrets = [...new Set([apiKey, ...sent.filter(value => value.length >= SHORTEST_SECRET)])]
    .filter(secret => secret !== '')
    .sort((one, other) => other.length - one.length)
  const withoutStart = (text: string): string => {
    for (const secret of secrets)
      for (let length = secret.length - 1; length >= SHORTEST_SECRET; length -= 1)
        if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED
    return text
  }
  return text => {
    const whole = secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)
    // Where a text was shortened, a secret may have been cut.
    return whole.split('…').map(withoutStart).join('…')
  }
}
