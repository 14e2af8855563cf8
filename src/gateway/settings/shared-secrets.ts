/** Keys that several nodes share, encrypted in the store, together with those that one node has in its own `secrets.json`. */
import { isDeepStrictEqual } from 'node:util'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { TextSource } from '../files/text-source.ts'
import { NO_SECRETS, parseSecrets, type Secrets, type SecretsFile, secretsText } from './secrets-file.ts'

const MOST_TRIES = 5
const KINDS = ['providers', 'mcp'] as const

/**
 * A shared key wins over one in the node's own file. Changes go to the shared ones; the node's file is never written. Keys that are
 * sealed with another secret are refused from the start; where this node has no secret at all, it works with its own keys alone.
 */
export function sharedSecrets(local: SecretsFile, source: TextSource, canSeal: boolean): Result<SecretsFile, Fault> {
  let stamp: string | undefined
  let shared: Secrets = NO_SECRETS
  let trouble: string | undefined
  let joined: { readonly local: Secrets; readonly shared: Secrets; readonly all: Secrets } | undefined
  let last: Promise<unknown> = Promise.resolve()
  const look = (): void => {
    const seen = source.stamp()
    if (seen === stamp) return
    stamp = seen
    const read = readShared(source)
    if (read.ok) shared = read.value
    trouble = read.ok ? undefined : read.fault.message
  }
  const all = (): Secrets => {
    look()
    const own = local.now()
    // The same object while nothing changes, because others notice a change by it.
    if (joined?.local !== own || joined.shared !== shared) joined = { local: own, shared, all: merged(own, shared) }
    return joined.all
  }
  const attempt = async (change: (secrets: Secrets) => Secrets): Promise<Result<Secrets, Fault> | 'changed meanwhile'> => {
    const before = all()
    const expected = source.stamp()
    if (trouble !== undefined) return err(fault('conflict', `${trouble}; until that is fixed nothing is written`))
    const after = change(before)
    const stays = whatStays(local.now(), after)
    if (stays !== undefined) return err(fault('conflict', `${stays} is in ${local.file} on this node; take it out there`))
    const written = await source.write(secretsText(sharedPart(after, local.now(), shared)), expected)
    if (!written.ok) return written
    return written.value ? ok(all()) : 'changed meanwhile'
  }
  look()
  // Another secret would make every key unreadable, and a person should know before a turn fails.
  if (trouble !== undefined && canSeal) return err(fault('invalid', trouble))
  return ok({
    file: local.file,
    now: all,
    trouble: () => {
      look()
      return trouble ?? local.trouble()
    },
    update: change => {
      const done = last.then(async () => {
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          const tried = await attempt(change)
          if (tried !== 'changed meanwhile') return tried
        }
        return err(fault('conflict', 'other nodes keep changing the keys; try again'))
      })
      last = done.catch(() => undefined)
      return done
    },
  })
}

function readShared(source: TextSource): Result<Secrets, Fault> {
  if (source.stamp() === undefined) return ok(NO_SECRETS)
  try {
    const parsed = parseSecrets(source.read())
    return parsed.ok ? parsed : err(fault('invalid', `${source.title()}: ${parsed.fault.message}`))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', message))
  }
}

const merged = (local: Secrets, shared: Secrets): Secrets => ({
  providers: { ...local.providers, ...shared.providers },
  mcp: { ...local.mcp, ...shared.mcp },
})

/** What of the wanted secrets the store has to keep: all but those that the node's own file gives already. */
function sharedPart(after: Secrets, local: Secrets, shared: Secrets): Secrets {
  const part = <Value>(kind: (typeof KINDS)[number], wanted: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(
      Object.entries(wanted).filter(
        ([name, value]) =>
          Object.hasOwn(shared[kind], name) || !Object.hasOwn(local[kind], name) || !isDeepStrictEqual(value, local[kind][name]),
      ),
    )
  return { providers: part('providers', after.providers), mcp: part('mcp', after.mcp) }
}

/** What a change would take away, but the node's own file gives. */
function whatStays(local: Secrets, after: Secrets): string | undefined {
  for (const kind of KINDS)
    for (const name of Object.keys(local[kind])) if (!Object.hasOwn(after[kind], name)) return `${kind}.${name}`
  return undefined
}
