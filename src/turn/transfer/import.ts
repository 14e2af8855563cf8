/** Imports the sessions of a file, all of them or none. */
import { BadFile, type Found, type FoundSession, type ImportFormat, readFile } from '../../archive/input/read-file.ts'
import type { ImportedFact, KeptText, SessionImport } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { Services } from '../services.ts'
import { leftBy } from './fork.ts'
import { importedSession, renamed, restoredSession } from './imported-session.ts'
import { createSamePast, type SamePast } from './same-past.ts'

export type ImportFileOptions = {
  readonly format?: ImportFormat
  readonly abort?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
}

export type ImportProgress = { readonly sessions: number; readonly messages: number; readonly bytes: number }

/** What was imported, and the remarks about it. */
export type ImportReport = {
  /** Whose file it was; null where nothing was in it. */
  readonly format: ImportFormat | null
  readonly sessions: number
  readonly messages: number
  /** Sessions that are here already, event by event; some have gone on here since. */
  readonly skipped: number
  readonly remarks: readonly string[]
  /** Of the first hundred. */
  readonly ids: readonly SessionId[]
}

const MOST_IDS = 100
const MOST_REMARKS = 100

/** Imports a whole file, or nothing at all. */
export async function importFile(
  services: Services,
  usualPolicy: string,
  bytes: AsyncIterable<Uint8Array>,
  { format, abort, onProgress = () => {} }: ImportFileOptions,
): Promise<Result<ImportReport, Fault>> {
  const begun = await services.log.startImport()
  if (!begun.ok) return begun
  const bringing = begun.value
  const taking = createTaking(services, usualPolicy, bringing)
  const stopped = async (why: Fault): Promise<Result<never, Fault>> => {
    await bringing.abandon()
    return err(why)
  }
  try {
    const file = readFile(bytes, {
      ...{ mint: services.mint },
      ...(format === undefined ? {} : { format }),
      ...(abort === undefined ? {} : { abort }),
    })
    for await (const batch of file.batches) {
      if (abort?.aborted === true) return await stopped(ABORTED)
      const taken = await taking.take(batch)
      if (!taken.ok) return await stopped(taken.fault)
      onProgress({ ...taking.count(), bytes: file.progress().bytes })
    }
    const ended = await taking.end()
    if (!ended.ok) return await stopped(ended.fault)
    if (abort?.aborted === true) return await stopped(ABORTED)
    const published = await bringing.publish(leftBy('imported'))
    if (!published.ok) return await stopped(published.fault)
    const { format: found, ...report } = taking.report()
    return ok({ format: found, ...taking.count(), ...report })
  } catch (cause) {
    await bringing.abandon()
    if (abort?.aborted === true) return err(ABORTED)
    if (cause instanceof BadFile) return err(cause.fault)
    throw cause
  }
}

const ABORTED: Fault = fault('cancelled', 'the import was stopped; nothing of the file was kept')

type Taking = {
  readonly take: (batch: readonly Found[]) => Promise<Result<null, Fault>>
  readonly end: () => Promise<Result<null, Fault>>
  readonly count: () => { readonly sessions: number; readonly messages: number }
  readonly report: () => Pick<ImportReport, 'format' | 'skipped' | 'remarks' | 'ids'>
}

/** The session that is being read: on its way in, or so far the same as one that is here. */
type Current = { session: Session; like?: SamePast; isIn: boolean }

function createTaking(services: Services, usualPolicy: string, bringing: SessionImport): Taking {
  const remarks = new Set<string>()
  const ids: SessionId[] = []
  /** Ids of the file that are others here. */
  const others = new Map<SessionId, SessionId>()
  let format: ImportFormat | null = null
  let current: Current | undefined
  let facts: ImportedFact[] = []
  let texts: KeptText[] = []
  let [sessions, messages, skipped] = [0, 0, 0]

  const say = (remark: string): void => {
    if (remarks.size < MOST_REMARKS) remarks.add(remark)
  }
  const house = {
    ...{ agents: services.agents, councils: services.councils, policies: services.policies },
    ...{ mint: services.mint, usualPolicy },
  }

  const add = async (of: Current, more: readonly ImportedFact[], kept: readonly KeptText[]): Promise<Result<null, Fault>> => {
    const added = await bringing.add({ session: of.session, facts: more, texts: kept })
    if (!added.ok) {
      if (added.fault.kind !== 'conflict' || of.isIn) return added
      // Another import is bringing a session with this id right now.
      rename(of)
      return add(of, more, kept)
    }
    if (!of.isIn) {
      sessions += 1
      if (ids.length < MOST_IDS) ids.push(of.session.id)
    }
    of.isIn = true
    for (const fact of more) messages += fact.messages
    return added
  }
  const flush = async (): Promise<Result<null, Fault>> => {
    if (current === undefined || (facts.length === 0 && texts.length === 0)) return ok(null)
    const [gathered, kept] = [facts, texts]
    facts = []
    texts = []
    return add(current, gathered, kept)
  }
  const rename = (of: Current): void => {
    const id = services.mint('ses')
    others.set(of.session.id, id)
    of.session = renamed(of.session, id)
    say(`a session of the same id is here with other contents; the one of the file is beside it, under an id of its own`)
  }
  /** It is not the one that is here: what was the same is read there, and the rest of the file follows. */
  const part = async (of: Current, like: SamePast): Promise<Result<null, Fault>> => {
    delete of.like
    rename(of)
    for await (const page of like.again()) {
      if (!page.ok) return page
      const added = await add(of, page.value, [])
      if (!added.ok) return added
    }
    return ok(null)
  }
  const leave = async (): Promise<Result<null, Fault>> => {
    if (current === undefined) return ok(null)
    if (current.like !== undefined) skipped += 1
    else {
      const flushed = await flush()
      if (!flushed.ok) return flushed
      // One in which nothing was said has come all the same.
      const added = current.isIn ? ok(null) : await add(current, [], [])
      if (!added.ok) return added
    }
    current = undefined
    return ok(null)
  }
  const begin = async (found: FoundSession): Promise<Result<null, Fault>> => {
    const left = await leave()
    if (!left.ok) return left
    format ??= found.origin
    if (found.kept === undefined) {
      current = { session: importedSession(house, found, say), isIn: false }
      return left
    }
    const session = withParent(restoredSession(house, found.kept, say))
    const here = await services.log.session(session.id)
    if (!here.ok && here.fault.kind !== 'not-found') return here
    current = { session, isIn: false, ...(here.ok ? { like: createSamePast(services.log, session.id) } : {}) }
    return left
  }
  const withParent = (session: Session): Session => {
    const { parent } = session
    const moved = parent === undefined ? undefined : others.get(parent.session)
    return parent === undefined || moved === undefined ? session : { ...session, parent: { ...parent, session: moved } }
  }

  const takeFact = async (of: Current, fact: ImportedFact): Promise<Result<null, Fault>> => {
    if (of.like !== undefined) {
      const isNext = await of.like.isNext(fact.fact, fact.at)
      if (!isNext.ok) return isNext
      if (isNext.value) return ok(null)
      const parted = await part(of, of.like)
      if (!parted.ok) return parted
    }
    facts.push(fact)
    return ok(null)
  }
  const takeOne = async (found: Found): Promise<Result<null, Fault>> => {
    if (found.type === 'remark') say(found.message)
    if (found.type === 'session') return begin(found.session)
    if (current === undefined || found.type === 'remark') return ok(null)
    if (found.type === 'text') {
      // Where all that was said is here, so is what it was made of.
      if (current.like === undefined) texts.push({ hash: found.hash, text: found.text })
      return ok(null)
    }
    const { fact, at, tokens, messages: begins } = found
    return takeFact(current, { fact, at, tokens, messages: begins })
  }

  return {
    take: async batch => {
      for (const found of batch) {
        const taken = await takeOne(found)
        if (!taken.ok) return taken
      }
      return flush()
    },
    end: leave,
    count: () => ({ sessions, messages }),
    report: () => ({ format, skipped, remarks: [...remarks, ...(skipped === 0 ? [] : [alreadyHere(skipped)])], ids }),
  }
}

const alreadyHere = (count: number): string =>
  count === 1 ? 'one session is already here, and was skipped' : `${count} sessions are already here, and were skipped`
