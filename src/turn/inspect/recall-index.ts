/** What there is of recall in a workspace, and the recall index of a session made anew. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { readWordVectors } from '../../context/recall/word-vectors.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { encoderIsInstalled } from '../recall/encoder.ts'
import { INDEX_VERSION } from '../recall/fill/fill-index.ts'
import type { Services } from '../services.ts'

/** What recall works with, and how far the index has come. */
export type RecallStatus = {
  /** The file of the word vectors; null if recall is told to do without. */
  readonly vectorsFile: string | null
  /** The hash of its word vectors; null if words alone are compared. */
  readonly vectors: string | null
  /** The versions of the encoder's packages; null unless they are installed. */
  readonly encoder: string | null
  readonly index: { readonly sessions: number; readonly messages: number; readonly bytes: number }
  /** Sessions with messages that are not indexed yet; at most `MOST_BEHIND` are counted. */
  readonly behind: number
}

/** So many sessions that are behind are counted. */
const MOST_BEHIND = 1000

export async function recallStatus({ log }: Services, vectorsFile: string | null): Promise<Result<RecallStatus, Fault>> {
  const vectors = await vectorsIn(vectorsFile)
  const [size, behind, encoder] = await Promise.all([
    log.recall.size(),
    log.recall.behind({ version: INDEX_VERSION, vectors }, MOST_BEHIND),
    encoderIsInstalled(),
  ])
  if (!size.ok) return size
  if (!behind.ok) return behind
  return ok({ vectorsFile, vectors, encoder: encoder ?? null, index: size.value, behind: behind.value.length })
}

/** The hash of a file of word vectors; null if there is none that can be read. */
async function vectorsIn(file: string | null): Promise<string | null> {
  const bytes = file === null ? undefined : await readFile(file).catch(() => undefined)
  if (bytes === undefined || readWordVectors(bytes) === undefined) return null
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** How many messages of a session are indexed, of about so many. */
export type ReindexProgress = { readonly messages: number; readonly of: number }

/** Makes the index of a session anew. Tells how many messages it has by then, and at the end how many it has. */
export async function reindex(
  { log, recall }: Services,
  id: SessionId,
  progress: (done: ReindexProgress) => void,
): Promise<Result<ReindexProgress, Fault>> {
  if (recall === undefined) return err(fault('invalid', 'conversations are not kept here, so there is nothing to index'))
  const session = await log.session(id)
  if (!session.ok) return session
  const indexed = async (): Promise<Result<ReindexProgress, Fault>> => {
    const state = await log.recall.state(id)
    return state.ok ? ok({ messages: state.value?.messages ?? 0, of: session.value.messages }) : state
  }
  let telling = Promise.resolve()
  const rebuilt = await recall.rebuild(id, () => {
    telling = telling.then(async () => {
      const done = await indexed()
      if (done.ok) progress(done.value)
    })
  })
  await telling
  return rebuilt.ok ? indexed() : rebuilt
}

/** Indexes what is not indexed yet of a session, however long that takes. */
export async function indexWhole({ log, recall }: Services, id: SessionId): Promise<Result<null, Fault>> {
  const standing = await log.standing(id)
  if (!standing.ok) return standing
  const nothing = { text: '', at: '1970-01-01T00:00:00.000Z', voice: '', view: 'all', excluded: [], names: {} } as const
  const looked = await recall?.look(id, { ...nothing, through: standing.value.head }, Number.POSITIVE_INFINITY)
  return looked?.ok === false ? looked : ok(null)
}
