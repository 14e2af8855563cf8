/** Builds the request for a fold: behind the last request where that has all of the stretch, else with the stretch as one text. */

import type { FoldMessage } from '../../context/fold/fold-messages.ts'
import { BEFORE_STRETCH, FOLD_PROMPT, foldInstruction, lengthWords, SUMMARY_SHARE } from '../../context/fold/fold-text.ts'
import { lint } from '../../context/receipt/cache-lint.ts'
import type { Planned } from '../../log/ports.ts'
import { isExcluding, type Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { FoldRange } from '../../model/fold.ts'
import type { OutlineItem } from '../../model/plan.ts'
import type { Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { requiredAside } from '../council/synthesis.ts'
import type { SystemText } from '../equipment/system-text.ts'
import { rebuild } from '../inspect/rebuild.ts'
import type { Services } from '../services.ts'
import { hash } from '../step/measure.ts'
import { type Prepared, prepare } from '../step/prepare-request.ts'
import type { Running } from '../step/run.ts'
import { createTimeLimit } from '../step/time-limit.ts'
import type { Breathe } from './breathe.ts'
import { eyeOf, type FoldStretch, readStretch } from './fold-view.ts'
import { type Exchanged, inputsAfter, planAfter, replyTo } from './request-after.ts'

/** A request for a fold that is ready to go. */
export type FoldRequest = Pick<Prepared, 'encoded' | 'receipt' | 'texts'> & { readonly outline: readonly OutlineItem[] }

/** The stretch of a fold, and the most tokens that its text may have. */
export type BoundedRange = FoldRange & { readonly tokens: number }

/** Builds the request of a turn that folds. */
export async function prepareFold(
  services: Services,
  running: Running,
  range: BoundedRange,
  { stretch }: FoldStretch,
  breathe: Breathe,
): Promise<Result<FoldRequest, Fault>> {
  await breathe()
  const behind = await requestBehind(services, running, range, stretch, breathe)
  if (!behind.ok || behind.value !== undefined) return behind as Result<FoldRequest, Fault>
  return requestApart(services, running, range)
}

/** The request that reads the cache; undefined where the last request does not have all of the stretch, or has what is none of it. */
async function requestBehind(
  services: Services,
  { session, model, turn }: Running,
  range: BoundedRange,
  stretch: readonly FoldMessage[],
  breathe: Breathe,
): Promise<Result<FoldRequest | undefined, Fault>> {
  const started = performance.now()
  const { measure, wires } = services
  const sent = await exchangeFor(services, session, range)
  if (!sent.ok || sent.value === undefined) return sent.ok ? ok(undefined) : sent
  const { planned, reply } = sent.value
  const [first, last] = [stretch[0], stretch.at(-1)]
  const wire = wires.get(planned.receipt.inputs.wire)
  if (planned.receipt.model !== model.name || first === undefined || last === undefined || wire === undefined)
    return ok(undefined)
  const before = await rebuild(services, session.id, planned.receipt, planned.step)
  if (!before.ok) return before
  if (before.value.verdict !== 'identical') return ok(undefined)
  await breathe()
  const read = performance.now()
  const { plan: was, files } = before.value.built
  const asked = foldInstruction({ first, last, messages: stretch.length, tokens: range.tokens * SUMMARY_SHARE })
  const words = (await services.house.words?.('fold'))?.trim() ?? ''
  const instruction = words === '' ? asked : `${asked}\n\n${words}`
  const plan = planAfter(was, reply, instruction, measure)
  if (plan.receipt.tokens.estimated + plan.maxTokens > plan.window) return ok(undefined)
  const encoded = wire.encode(plan, files)
  const receipt: Receipt = {
    ...{ id: services.mint('rcp'), digest: hash(encoded.body) },
    ...plan.receipt,
    cache: lint(was.outline, plan.outline),
    timings: { readMs: rounded(read - started), assembleMs: rounded(performance.now() - read) },
    inputs: inputsAfter(planned.receipt, planned, turn, instruction),
  }
  // What the request before it was built from is kept with that one.
  return ok({ encoded, receipt, texts: [{ hash: hash(instruction), text: instruction }], outline: plan.outline })
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000

/** The last request of the voice and its reply, where they show the whole stretch and nothing that the fold may not know. */
async function exchangeFor(
  services: Services,
  session: Session,
  range: BoundedRange,
): Promise<Result<Exchanged | undefined, Fault>> {
  const { log } = services
  const { voice } = eyeOf(services, session, range)
  const found = await log.planned(session.id, 1, { voice })
  if (!found.ok) return found
  const [planned] = found.value
  if (planned === undefined || !showsAll(planned, session, range)) return ok(undefined)
  const [own, marks] = await Promise.all([
    log.read(session.id, { turn: planned.turn }),
    log.read(session.id, { only: 'message.marked', after: planned.receipt.inputs.marksThrough }),
  ])
  if (!own.ok) return own
  if (!marks.ok) return marks
  const reply = replyTo(own.value, planned)
  if (reply === undefined || range.to > reply.seq || marks.value.some(excludes)) return ok(undefined)
  return ok({ planned, reply })
}

const excludes = (event: Recorded): boolean => event.type === 'message.marked' && isExcluding(event.mark)

/** What others said, or what was said in other chats, must not become part of a fold. */
function showsAll({ receipt }: Planned, { id }: Session, { from, to }: BoundedRange): boolean {
  const { window, degraded, inputs } = receipt
  const isWhole = degraded === null && inputs.isBare !== true && window.narrowed !== true && inputs.after === undefined
  const isShown = window.begins !== null && window.begins <= from
  const isInParts = (window.excerpts ?? []).some(({ seq }) => from <= seq && seq <= to)
  const isForeign = receipt.in.some(({ kind, session: other }) => kind === 'reference' || (other !== undefined && other !== id))
  return isWhole && isShown && !isInParts && !isForeign
}

/** A model that thinks first still has room for the summary. */
const THINKING_ROOM = 4096
/** Nothing waits for a fold, so its reads may take long. */
const READ_MS = 30_000

/** The request with the stretch as one text, for any model. */
async function requestApart(services: Services, running: Running, range: BoundedRange): Promise<Result<FoldRequest, Fault>> {
  const { session, speaker, answers, policy, model, thinking, sampling, turn, cause, ordinal, ledger, standing, own, equipment } =
    running
  const prepared = await prepare(
    services,
    {
      ...{ session, answers, model, thinking, standing, own, equipment },
      ...(sampling === undefined ? {} : { sampling }),
      speaker: { ...speaker, fold: range },
      policy: { ...policy, budget: { tokens: null, reserve: 2 * range.tokens + THINKING_ROOM } },
      turn: { id: turn, step: 1, cause, ordinal },
      unsaved: ledger.unsaved(),
      marksThrough: standing.head,
      timeLimit: createTimeLimit(READ_MS),
    },
    services.mint('rcp'),
    undefined,
  )
  return prepared.ok ? ok({ ...prepared.value, outline: prepared.value.plan.outline }) : prepared
}

/** Of a result or a file, so many characters of its beginning are shown to who summarizes. */
const MOST_MATERIAL = 2000

/** The system text for a fold, and its stretch as one text of which each message may be shortened. */
export async function foldText(
  services: Services,
  session: Session,
  range: FoldRange | undefined,
): Promise<Result<SystemText, Fault>> {
  if (range === undefined) return err(fault('bug', 'a fold has no stretch'))
  const [read, words] = await Promise.all([readStretch(services, session, range), services.house.words?.('fold')])
  if (!read.ok) return read
  const own = words === undefined || words.trim() === '' ? FOLD_PROMPT : words.trim()
  const text = range.tokens === undefined ? own : `${own}\n\n${lengthWords(range.tokens * SUMMARY_SHARE)}`
  const blocks = read.value.stretch.map(({ speaker, words: said, material }) => ({
    label: `${speaker}: `,
    text: [said, ...material.map(({ name = '', text: more }) => `(${name === '' ? 'result' : name}) ${shortened(more)}`)]
      .filter(each => each.trim() !== '')
      .join('\n\n'),
  }))
  return ok({
    system: [{ source: 'prompts/fold.md', reason: 'system.agent', text }],
    asides: [requiredAside(BEFORE_STRETCH, blocks, ']')],
  })
}

const shortened = (text: string): string =>
  text.length <= MOST_MATERIAL ? text : `${text.slice(0, MOST_MATERIAL).replace(/[\ud800-\udbff]$/, '')} …`
