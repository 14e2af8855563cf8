/** Texts of a workspace that several nodes share: kept in the store, and read again within a second when another node changes one. */

import type { Documents, KeptDocument } from '../../log/open-store.ts'
import type { Fault } from '../../model/fault.ts'
import { fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { isSealed, type Sealer } from './sealed-text.ts'
import { fileText, type TextSource, type WorkspaceTexts } from './text-source.ts'

export type SharedTexts = Required<WorkspaceTexts> & {
  /** A text as the store has it, whether or not this node has a file of that path. */
  readonly kept: (path: string) => TextSource
  readonly canSeal: boolean
  /** Why changes of other nodes may be missing. */
  readonly trouble: () => string | undefined
  readonly stop: () => void
}

export type SharedTextsOptions = {
  readonly documents: Documents
  /** A text that was never kept is read from this folder. */
  readonly home: string
  /** Encrypts what must not be read by others; without it such texts are not kept at all. */
  readonly sealer?: Sealer | undefined
  /** What a person can do instead of keeping a text that must be encrypted, as a sentence; undefined if it need not be. */
  readonly whySecret: (path: string, text: string) => string | undefined
  readonly pollMs?: number
}

const POLL_MS = 500
const OR_ENCRYPT =
  'or set TURNWISE_SECRET (16 characters or more, the same on every node), and it is kept encrypted in the database'

/** Reads all documents first; a store that cannot be read is refused. */
export async function openSharedTexts(options: SharedTextsOptions): Promise<Result<SharedTexts, Fault>> {
  const { documents, home, sealer, whySecret, pollMs = POLL_MS } = options
  const known = new Map<string, KeptDocument>()
  const opened = new Map<string, { readonly revision: number; readonly text: Result<string, Fault> }>()
  let seen = 0
  let trouble: string | undefined
  let isStopped = false
  let asking: Promise<Result<null, Fault>> | undefined

  const take = (document: KeptDocument): void => {
    const before = known.get(document.name)
    if (before === undefined || before.revision < document.revision) known.set(document.name, document)
  }
  const ask = async (): Promise<Result<null, Fault>> => {
    const changed = await documents.changed(seen)
    trouble = changed.ok ? undefined : `the shared settings may be old: ${changed.fault.message}`
    if (!changed.ok) return changed
    for (const document of changed.value) {
      take(document)
      seen = Math.max(seen, document.revision)
    }
    return ok(null)
  }
  const refresh = (): Promise<Result<null, Fault>> => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  const first = await refresh()
  if (!first.ok) return first
  // A timer that waits does not keep a command from ending.
  const timer = setInterval(() => {
    if (isStopped || asking !== undefined) return
    refresh().catch((cause: unknown) => {
      trouble = `the shared settings may be old: ${cause instanceof Error ? cause.message : 'they could not be read'}`
    })
  }, pollMs).unref()

  const textOf = ({ name, text, revision }: KeptDocument): Result<string, Fault> => {
    if (text === null || !isSealed(text)) return ok(text ?? '')
    const before = opened.get(name)
    if (before?.revision === revision) return before.text
    const read =
      sealer === undefined
        ? err(fault('conflict', `${name} is encrypted; set TURNWISE_SECRET as on the other nodes`))
        : sealer.open(name, text)
    opened.set(name, { revision, text: read })
    return read
  }
  const put = async (path: string, text: string, revision: number): Promise<Result<boolean, Fault>> => {
    const secret = whySecret(path, text)
    if (secret !== undefined && sealer === undefined) return err(fault('conflict', `${secret}, ${OR_ENCRYPT}`))
    // A text that another secret has sealed is not replaced.
    const before = known.get(path)
    const readable = before === undefined ? ok('') : textOf(before)
    if (!readable.ok) return readable
    const kept = secret === undefined || sealer === undefined ? text : sealer.seal(path, text, before?.text)
    const written = await documents.write(path, kept, revision)
    if (written.ok) {
      take({ name: path, text: kept, revision: written.value })
      return ok(true)
    }
    if (written.fault.kind !== 'conflict') return written
    const refreshed = await ask()
    return refreshed.ok ? ok(false) : refreshed
  }
  const revisionOf = (path: string): number => known.get(path)?.revision ?? 0

  const sourceOf = (path: string, file: TextSource | undefined): TextSource => ({
    title: () => (file === undefined || known.has(path) ? `${path} in the database` : file.title()),
    stamp: () => {
      const document = known.get(path)
      if (document === undefined) return file?.stamp()
      return document.text === null ? undefined : `revision ${document.revision}`
    },
    read: () => {
      const document = known.get(path)
      if (document === undefined && file !== undefined) return file.read()
      if (document === undefined || document.text === null) throw systemError('ENOENT', 'there is no such document')
      const text = textOf(document)
      if (text.ok) return text.value
      throw systemError('ESEALED', text.fault.message)
    },
    whyUnwritable: () => undefined,
    write: async (text, expected) => {
      const revision = revisionOf(path)
      return sourceOf(path, file).stamp() === expected ? put(path, text, revision) : ok(false)
    },
    replace: async text => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const written = await put(path, text, revisionOf(path))
        if (!written.ok || written.value) return written
      }
      return err(fault('conflict', `${path}: other nodes keep writing it; try again`))
    },
  })

  return ok({
    at: path => sourceOf(path, fileText(home, path)),
    kept: path => sourceOf(path, undefined),
    shared: () => new Map([...known.values()].map(({ name, text }) => [name, text])),
    canSeal: sealer !== undefined,
    trouble: () => trouble,
    stop: () => {
      isStopped = true
      clearInterval(timer)
    },
  })
}

const MOST_TRIES = 5

/** Readers of files expect errors with a code. */
const systemError = (code: string, message: string): Error => Object.assign(new Error(message), { code })
