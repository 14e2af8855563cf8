/** Copies a house into another store, piece by piece, and goes on where an earlier copy was interrupted. */

import type { Fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { sameSession, strangeState } from './differences.ts'
import type { HouseEvent, HouseSession, HouseSource, HouseTarget } from './house.ts'
import { batchesOf, eventPages, receiptPages, sessionPages, textBatches, textPages } from './pages.ts'
import { copyUsage } from './usage-rows.ts'
import { COPY_STOPPED, type CopyWatch, foreign } from './watch.ts'

/** What was written, and how many sessions were there already. */
export type Copied = { readonly sessions: number; readonly events: number; readonly there: number }

/** Writes everything of a house that is not in a store yet. What is there may only be a part of it, letter for letter. */
export async function copyHouse(source: HouseSource, target: HouseTarget, watch: CopyWatch): Promise<Result<Copied, Fault>> {
  const fits = await whyUnfit(source, target, watch)
  if (!fits.ok) return fits
  const begun = await target.begin()
  if (!begun.ok) return begun
  const texts = await copyTexts(source, target, watch)
  if (!texts.ok) return texts
  const sessions = await copySessions(source, target, watch)
  if (!sessions.ok) return sessions
  const usage = await copyUsage(source, target, watch.abort)
  if (!usage.ok) return usage
  const receipts = await copyReceipts(source, target, watch)
  if (!receipts.ok) return receipts
  const state = await source.state()
  if (!state.ok) return state
  const written = await target.replaceState(state.value)
  return written.ok ? sessions : written
}

/** Refuses a store with anything that the house does not have, before anything is written. */
async function whyUnfit(
  source: HouseSource,
  target: HouseTarget,
  { abort, onProgress }: CopyWatch,
): Promise<Result<null, Fault>> {
  let seen = 0
  for await (const page of sessionPages(target)) {
    if (abort.aborted) return err(COPY_STOPPED)
    if (!page.ok) return page
    const known = await source.known(page.value.map(({ id }) => id))
    if (!known.ok) return known
    const ours = new Map(known.value.map(each => [each.id, each]))
    for (const there of page.value) {
      const own = ours.get(there.id)
      if (own === undefined) return foreign(`${there.id} is there, and not in ${source.title}`)
      if (!sameSession(own, there))
        return foreign(`${there.id} is there already and differs (${there.head} events there, ${own.head} in ${source.title})`)
    }
    seen += page.value.length
    onProgress({ doing: 'looking', sessions: seen, events: 0 })
  }
  const usage = await copyUsage(source, target, abort, { isTrial: true })
  if (!usage.ok) return usage
  const [there, half] = [await target.state(), await target.isHalf()]
  if (!there.ok) return there
  if (!half.ok) return half
  // What an interrupted copy has written of this is written anew; what others have written is not.
  if (half.value) return ok(null)
  const own = await source.state()
  if (!own.ok) return own
  const strange = strangeState(own.value, there.value)
  return strange === undefined ? ok(null) : foreign(strange)
}

async function copyTexts(source: HouseSource, target: HouseTarget, { abort }: CopyWatch): Promise<Result<null, Fault>> {
  for await (const page of textPages(source)) {
    if (!page.ok) return page
    const missing = await target.missingTexts(page.value.map(({ hash }) => hash))
    if (!missing.ok) return missing
    const areMissing = new Set(missing.value)
    for (const hashes of textBatches(page.value.filter(({ hash }) => areMissing.has(hash)))) {
      if (abort.aborted) return err(COPY_STOPPED)
      const texts = await source.texts(hashes)
      if (!texts.ok) return texts
      const written = await target.addTexts(texts.value)
      if (!written.ok) return written
    }
  }
  return ok(null)
}

async function copySessions(
  source: HouseSource,
  target: HouseTarget,
  { abort, onProgress }: CopyWatch,
): Promise<Result<Copied, Fault>> {
  let copied: Copied = { sessions: 0, events: 0, there: 0 }
  for await (const page of sessionPages(source)) {
    if (!page.ok) return page
    const known = await target.known(page.value.map(({ id }) => id))
    if (!known.ok) return known
    const there = new Set(known.value.map(({ id }) => id))
    copied = { ...copied, there: copied.there + there.size }
    for (const batch of batchesOf(page.value.filter(({ id }) => !there.has(id)))) {
      if (abort.aborted) return err(COPY_STOPPED)
      const beside = await source.beside(batch.map(({ id }) => id))
      if (!beside.ok) return beside
      const { sessions, events: before } = copied
      const tell = (events: number): void =>
        onProgress({ doing: 'copying', sessions: copied.there + sessions, events: before + events })
      const written = await target.add(batch, beside.value, watched(source, batch, abort, tell))
      if (!written.ok) return written
      const events = batch.reduce((sum, { head }) => sum + head, 0)
      copied = { ...copied, sessions: sessions + batch.length, events: before + events }
    }
  }
  return ok(copied)
}

/** A long session can be stopped between its pages; nothing of it is kept then. */
async function* watched(
  source: HouseSource,
  batch: readonly HouseSession[],
  abort: AbortSignal,
  tell: (events: number) => void,
): AsyncGenerator<Result<readonly HouseEvent[], Fault>> {
  let done = 0
  for await (const page of eventPages(source, batch)) {
    if (abort.aborted) return yield err(COPY_STOPPED)
    yield page
    done += page.ok ? page.value.length : 0
    tell(done)
  }
}

async function copyReceipts(source: HouseSource, target: HouseTarget, { abort }: CopyWatch): Promise<Result<null, Fault>> {
  for await (const page of receiptPages(source)) {
    if (abort.aborted) return err(COPY_STOPPED)
    if (!page.ok) return page
    const written = await target.addReceipts(page.value)
    if (!written.ok) return written
  }
  return ok(null)
}
