/** Checks what recall chose for a recorded request: fills an index in memory from the log, looks up again, and compares. */
import { assemble } from '../../context/assemble.ts'
import { boundsOf } from '../../context/bounds.ts'
import { settlePolicy } from '../../context/reply-limit.ts'
import { rulesOf } from '../../context/versions.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Material } from '../../model/plan.ts'
import { RECALL_RULES, type RecallMaterial, type RecallQuote } from '../../model/recall.ts'
import type { Receipt, WindowState } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { layeredIndex } from '../inspect/layered-index.ts'
import { materialAgain } from '../inspect/rebuild.ts'
import type { Services } from '../services.ts'
import { hash } from '../step/measure.ts'
import { filesOf } from '../step/request-files.ts'
import { createRecall, type Recall, WORD_VECTORS_FILE } from './recall.ts'
import { queryFor, readCandidates } from './recall-material.ts'

/** Whether recall chooses the same messages again, and the request is the same with them. */
export type DeepVerdict = {
  readonly verdict: 'identical' | 'different' | 'not-comparable'
  readonly detail?: string
}

export type DeepVerifier = {
  /** Undefined if nothing was looked up for the request. */
  readonly check: (session: SessionId, receipt: Receipt, step: number) => Promise<Result<DeepVerdict | undefined, Fault>>
  readonly close: () => Promise<void>
}

/** Checks requests with an index of its own; the one in the store plays no part. */
export function createDeepVerifier(services: Services, vectorsFile: string | null = WORD_VECTORS_FILE): DeepVerifier {
  const { log } = services
  let own: { readonly session: SessionId; readonly recall: Recall } | undefined

  /** One index at a time: the requests of a session are checked in a row. */
  const recallOf = async (session: SessionId): Promise<Recall> => {
    if (own?.session === session) return own.recall
    await own?.recall.close()
    own = { session, recall: createRecall({ log: { ...log, recall: layeredIndex() }, vectorsFile, onTrouble: () => {} }) }
    return own.recall
  }

  const check: DeepVerifier['check'] = async (session, receipt, step) => {
    const { recall: looked, assembly, wire: label } = receipt.inputs
    if (looked?.found === undefined) return ok(undefined)
    const [rules, wire] = [rulesOf(assembly), services.wires.get(label)]
    if (looked.rules !== RECALL_RULES)
      return ok(incomparable(`it was recalled by the rules ${looked.rules}, not ${RECALL_RULES}`))
    // Which other chats there were, and what they had by then, is not recorded: they may have grown, or be gone.
    if (looked.from !== undefined) return ok(incomparable('it looked into other chats, too'))
    if (rules === undefined || wire === undefined)
      return ok(incomparable('it was built by rules that this Turnwise does not have'))
    const again = await materialAgain(services, session, receipt, step)
    if (!again.ok) return again
    const { policy } = again.value
    const material = { ...again.value.material, events: again.value.material.events.map(rules.weighing) }
    const query = queryFor(material, policy)
    if (query === undefined) return ok(different('the message that it answers was not read again'))
    const { indexedThrough, vectors } = looked.found
    const recall = await recallOf(session)
    const found = await recall.look(
      session,
      { ...query, through: Math.min(query.through, indexedThrough) },
      Number.POSITIVE_INFINITY,
    )
    if (!found.ok) return found
    if (found.value.vectors !== vectors) return ok(incomparable(otherVectors(vectors, found.value.vectors)))
    const texts = await readCandidates(log, session, found.value, material.events, mostTokens(policy, material))
    if (!texts.ok) return texts
    const remembered: RecallMaterial = {
      ...{ session, found: found.value, ...texts.value },
      ...(looked.balance === undefined ? {} : { balance: looked.balance }),
    }
    const plan = assemble({ ...material, recall: remembered }, policy, services.measure, rules)
    if (!plan.ok) return ok(different(`it can no longer be built: ${plan.fault.message}`))
    const difference = differenceOf(receipt.window, plan.value.receipt.window)
    if (difference !== undefined) return ok(different(difference))
    const files = await filesOf(plan.value, log.texts)
    if (!files.ok) return files
    const isSame = hash(wire.encode(plan.value, files.value).body) === receipt.digest
    return ok(isSame ? { verdict: 'identical' } : different('recall chooses the same messages, but the bytes are not the same'))
  }

  return { check, close: async () => own?.recall.close() }
}

const different = (detail: string): DeepVerdict => ({ verdict: 'different', detail })
const incomparable = (detail: string): DeepVerdict => ({ verdict: 'not-comparable', detail })

/** As many tokens as could be quoted when the request was built: only so many messages were read for it. */
function mostTokens(policy: Policy, material: Material): number {
  const { limit } = boundsOf(settlePolicy(policy, material), material.model.window)
  const most = typeof policy.recall?.tokens === 'number' ? Math.min(policy.recall.tokens, limit) : limit
  return most / material.model.factor
}

const otherVectors = (then: string | null, now: string | null): string =>
  `it was recalled with ${vectorWords(then)}, and is looked up with ${vectorWords(now)} now`

function vectorWords(vectors: string | null): string {
  if (vectors === null) return 'words alone'
  const [kind, name = ''] = vectors.split(':')
  return kind === 'encoder' ? `the encoder ${name}` : `the word vectors ${name.slice(0, 8)}`
}

type Chosen = Pick<WindowState, 'recalled' | 'shows'>

/** The first thing that was chosen differently. */
function differenceOf(sent: Chosen, again: Chosen): string | undefined {
  const [then, now] = [sent.recalled ?? [], again.recalled ?? []]
  const index = Array.from({ length: Math.max(then.length, now.length) }, (_, at) => at).find(
    at => JSON.stringify(then[at]) !== JSON.stringify(now[at]),
  )
  if (index !== undefined)
    return `quote ${index + 1} differs: the receipt names ${quoteWords(then[index])}, recall ${quoteWords(now[index])}`
  if (sent.shows === again.shows) return undefined
  return `the window was shown from seq ${sent.shows ?? 'as it was'} on, and would be from seq ${again.shows ?? 'as it was'} on`
}

const quoteWords = (quote: RecallQuote | undefined): string => {
  if (quote === undefined) return 'none'
  return `seq ${quote.seqs.join(', ')}${quote.slices === undefined ? '' : ' in part'}`
}
