/** Builds a recorded request again from the log, and compares it with what was sent. */
import { assemble } from '../../context/assemble.ts'
import { rulesOf } from '../../context/versions.ts'
import type { EventLog, Past } from '../../log/ports.ts'
import type { Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { Aside, Material, OutlineItem, Plan, SystemPart, ToolSpec } from '../../model/plan.ts'
import type { Encoded, Files } from '../../model/provider.ts'
import type { InLine, Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { turnsContinuedBy } from '../../model/turn-view/turn-view.ts'
import { rebuildAfter } from '../memory/request-after.ts'
import { recallAgain } from '../recall/recall-material.ts'
import type { Services } from '../services.ts'
import { hash } from '../step/measure.ts'
import { pinnedAgain, quotesGoneChat } from '../step/pinned-elsewhere.ts'
import { filesOf } from '../step/request-files.ts'

/** A request with all that it was written from. */
export type Built = { readonly encoded: Encoded; readonly plan: Plan; readonly files: Files }

/** A recorded request built again: the same bytes, or the first thing that is not the same. */
export type Rebuilt =
  | { readonly verdict: 'identical'; readonly built: Built; readonly outline: readonly OutlineItem[] }
  | {
      readonly verdict: 'different'
      readonly built: Built | undefined
      readonly outline: readonly OutlineItem[]
      readonly difference: string
    }
  | { readonly verdict: 'not-comparable'; readonly why: string }

/** Builds a request again from the log and its receipt's inputs alone; today's settings and files play no part. */
export async function rebuild(
  services: Services,
  session: SessionId,
  receipt: Receipt,
  step: number,
): Promise<Result<Rebuilt, Fault>> {
  const wire = services.wires.get(receipt.inputs.wire)
  if (wire === undefined) return ok({ verdict: 'not-comparable', why: `the wire ${receipt.inputs.wire} is no longer spoken` })
  const rules = rulesOf(receipt.inputs.assembly)
  if (rules === undefined)
    return ok({
      verdict: 'not-comparable',
      why: `it was built by version ${receipt.inputs.assembly} of the assembly, which a newer Turnwise has`,
    })
  const { after } = receipt.inputs
  if (after !== undefined) return rebuildAfter(services, session, receipt, after, rebuild)
  const material = await materialAgain(services, session, receipt, step)
  if (!material.ok) return material
  const { material: found, policy } = material.value
  if (quotesGoneChat(receipt, found)) return ok({ verdict: 'not-comparable', why: 'a chat that it quotes was deleted' })
  const plan = assemble({ ...found, events: found.events.map(rules.weighing) }, policy, services.measure, rules)
  if (!plan.ok)
    return ok({
      verdict: 'different',
      built: undefined,
      outline: [],
      difference: `it can no longer be built: ${plan.fault.message}`,
    })
  const files = await filesOf(plan.value, services.log.texts)
  if (!files.ok) return files
  const encoded = wire.encode(plan.value, files.value)
  const built = { encoded, plan: plan.value, files: files.value }
  if (hash(encoded.body) === receipt.digest) return ok({ verdict: 'identical', built, outline: plan.value.outline })
  return ok({
    verdict: 'different',
    built,
    outline: plan.value.outline,
    difference: firstDifference(receipt.in, plan.value.receipt.in),
  })
}

/** What a recorded request was built from. */
export async function materialAgain(
  { log }: Services,
  session: SessionId,
  receipt: Receipt,
  step: number,
): Promise<Result<{ material: Material; policy: Policy }, Fault>> {
  const { inputs, through, degraded } = receipt
  const wanted = [
    inputs.policy,
    inputs.tools,
    inputs.voices,
    ...(inputs.listed === undefined ? [] : [inputs.listed.text, inputs.listed.tools]),
    ...inputs.system.map(part => part.hash),
    ...inputs.asides.map(aside => aside.hash),
  ]
  const [texts, known] = await Promise.all([log.texts(wanted), log.session(session)])
  if (!texts.ok) return texts
  if (!known.ok) return known
  const missing = wanted.find(each => !texts.value.has(each))
  if (missing !== undefined) return err(fault('store', `the text ${missing} of this receipt is gone`))
  const text = (kept: string): string => texts.value.get(kept) ?? ''
  const policy = JSON.parse(text(inputs.policy)) as Policy
  const [read, recall, pinned] = await Promise.all([
    readAgain(log, session, receipt, policy),
    recallAgain(log, session, receipt),
    pinnedAgain(log, receipt),
  ])
  if (!read.ok) return read
  if (!recall.ok) return recall
  if (!pinned.ok) return pinned
  const { events, folds } = read.value
  return ok({
    policy,
    material: {
      session: known.value.family,
      voice: receipt.voice,
      model: {
        name: receipt.model,
        window: inputs.window,
        ...(inputs.output === undefined ? {} : { output: inputs.output }),
        factor: receipt.tokens.factor,
        ...(inputs.abilities === undefined ? {} : { abilities: inputs.abilities }),
      },
      turn: { id: inputs.turn as TurnId, step, cause: inputs.cause, ordinal: inputs.ordinal },
      thinking: inputs.thinking,
      ...(inputs.sampling === undefined ? {} : { sampling: { given: inputs.sampling, sent: receipt.sampling ?? {} } }),
      through,
      events: degraded === null ? events : ownOnly(events, inputs),
      gaps: inputs.gaps,
      ...(inputs.isBare === true ? { isBare: true } : {}),
      begins: inputs.begins,
      ...(inputs.last === undefined ? {} : { last: inputs.last }),
      marksThrough: inputs.marksThrough,
      voices: JSON.parse(text(inputs.voices)) as Material['voices'],
      system: inputs.system.map(({ source, reason, hash: kept }) => ({ source, reason, text: text(kept) }) as SystemPart),
      tools: JSON.parse(text(inputs.tools)) as readonly ToolSpec[],
      ...(inputs.listed === undefined
        ? {}
        : {
            listed: {
              text: text(inputs.listed.text),
              tools: JSON.parse(text(inputs.listed.tools)) as readonly ToolSpec[],
              ...(inputs.listed.isAuto === true ? { isAuto: true } : {}),
            },
          }),
      asides: inputs.asides.map(
        ({ kind, reason, hash: kept, required }) =>
          ({ kind, reason, text: text(kept), ...(Array.isArray(required) ? { required } : {}) }) as Aside,
      ),
      ...(recall.value === undefined ? {} : { recall: { ...recall.value, ...balanceOf(receipt) } }),
      ...(pinned.value === undefined ? {} : { pinned: pinned.value }),
      ...(degraded === null && folds.length > 0 ? { folds } : {}),
      degraded,
    },
  })
}

/** What recall could spend before: a window that follows the need grows by no more. */
const balanceOf = ({ inputs: { recall } }: Receipt): { readonly balance?: number } =>
  recall?.balance === undefined ? {} : { balance: recall.balance }

/**
 * The same part of the log that was read then: everything up to `through`, less what lies in the gaps and is not pinned. Gaps
 * follow each other: they end where folds do.
 */
async function readAgain(
  log: EventLog,
  session: SessionId,
  { inputs, through, window }: Receipt,
  { fold }: Pick<Policy, 'fold'>,
): Promise<Result<Pick<Past, 'events' | 'folds'>, Fault>> {
  const [first, last] = [inputs.gaps[0], inputs.gaps.at(-1)]
  const shown = [...(inputs.last?.folds ?? []), ...(window.folds ?? [])]
  const folds = fold === null || fold === undefined ? {} : { folds: { shown } }
  return log.past(
    session,
    first === undefined || last === undefined
      ? { from: 'start', through, ...folds }
      : { from: { seq: last.to + 1 }, through, ...(first.from > 1 ? { head: { through: first.from - 1 } } : {}), ...folds },
  )
}

/** All that a degraded request could be built from: its message and what its own turn had said, or the turns it goes on with. */
function ownOnly(events: readonly Recorded[], { cause, turn }: Receipt['inputs']): readonly Recorded[] {
  const turns = turnsContinuedBy(events, turn as TurnId)
  return events.filter(event => event.seq === cause || ('turn' in event && turns.includes(event.turn)))
}

function firstDifference(sent: readonly InLine[], built: readonly InLine[]): string {
  const index = sent.findIndex((line, at) => JSON.stringify(line) !== JSON.stringify(built[at]))
  const line = sent[index] ?? built[sent.length]
  if (line === undefined) return 'every item is the same, but not the bytes around them'
  const place = line.from === undefined ? '' : ` ${line.from}${line.to === line.from ? '' : `–${line.to}`}`
  return `item ${index === -1 ? sent.length + 1 : index + 1} differs: ${line.source ?? line.kind}${place} (${line.reason})`
}
