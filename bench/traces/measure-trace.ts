// Replays one conversation through one window and adds up what came of it: sent, valid, billed, still in sight.
import type { Measure } from '../../src/context/text/tokens.ts'
import type { Plan } from '../../src/model/plan.ts'
import type { Wire } from '../../src/model/provider.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { ollamaWire } from '../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { type Bill, type Block, billsOf, blocksOf, unitsOf } from '../billing.ts'
import type { Conversation } from '../conversations.ts'
import { type Exchange, houseTokens, type TraceRequest } from './requests.ts'
import { messagesIn, messageTokens, WIRES, type WireName, whyInvalid } from './validate.ts'
import type { TraceWindow } from './windows.ts'

/** What came of the requests of a conversation. */
export type TraceSums = {
  /** Requests that can be made at all, those of them that were, and those that are valid for every provider. */
  feasible: number
  sent: number
  valid: number
  /** Times the last exchange had to be there, and was. */
  exchanges: number
  exchangesKept: number
  bill: Bill
  units: number
  used: number
  visible: number
  readonly whys: Map<string, number>
}

const ENCODERS: Readonly<Record<WireName, { readonly wire: Wire; readonly model: string }>> = {
  anthropic: { wire: anthropicWire, model: 'anthropic/bench' },
  openai: { wire: openaiChatWire, model: 'openai/bench' },
  ollama: { wire: ollamaWire, model: 'ollama/bench' },
}

/** What a note about left out messages may take beside the last exchange, and what a transcript adds to each of its entries. */
const NOTE_TOKENS = 64
const PER_ENTRY = 6
/** More entries than a transcript shows of the past by its own document. */
const MOST_ENTRIES = 20

export const isFeasible = (
  { least }: TraceRequest,
  { isTranscript }: Pick<TraceWindow, 'isTranscript'>,
  limit: number,
): boolean => (isTranscript ? least.transcript : least.messages) <= limit

/** Nothing yet. */
export const noSums = (): TraceSums => ({
  ...{ feasible: 0, sent: 0, valid: 0, exchanges: 0, exchangesKept: 0, units: 0, used: 0, visible: 0 },
  bill: { plain: 0, written: 0, read: 0 },
  whys: new Map(),
})

/** Replays the feasible requests of a conversation. */
export async function measureTrace(
  window: TraceWindow,
  conversation: Conversation,
  requests: readonly TraceRequest[],
  limit: number,
  measure: Measure,
): Promise<TraceSums> {
  const sums = noSums()
  const replay = window.replay(conversation, limit, measure)
  const house = houseTokens(conversation, measure.count)
  const billed: (readonly Block[])[] = []
  for (const request of requests) {
    if (!isFeasible(request, window, limit)) continue
    sums.feasible += 1
    sums.used += request.needs.length
    const { plan, folded = [] } = await replay(request)
    billed.push(...folded.flatMap(({ blocks }) => (blocks === null ? [] : [blocks])))
    if (plan === null || plan.messages.length === 0) {
      tally(sums, ['not sent'])
      continue
    }
    sums.sent += 1
    const anthropic = encoded(plan, 'anthropic')
    const messages = anthropic.slice(anthropic.indexOf('"messages":['))
    sums.visible += request.needs.filter(id => messages.includes(JSON.stringify(id).slice(1, -1))).length
    billed.push(blocksOf(anthropic, measure.count))
    const whys = invalid(plan, anthropic, request, window)
    const tokens = house + messageTokens(messagesIn('anthropic', anthropic), measure.count)
    if (window.kind !== 'whole' && tokens > limit) whys.push('longer than the limit')
    if (whys.length === 0) sums.valid += 1
    tally(sums, whys)
    const { exchange } = request
    if (exchange === null || !isWanted(exchange, request, window, limit)) continue
    sums.exchanges += 1
    if (hasExchange(anthropic, exchange, isWhole(exchange, request, window, limit))) sums.exchangesKept += 1
  }
  charge(sums, billed)
  return sums
}

/** The bill of the whole history for every limit: it sends the same, but only the feasible requests are compared. */
export async function measureWhole(
  whole: TraceWindow,
  conversation: Conversation,
  requests: readonly TraceRequest[],
  measure: Measure,
): Promise<(isIn: (request: TraceRequest) => boolean) => TraceSums> {
  const replay = whole.replay(conversation, Number.POSITIVE_INFINITY, measure)
  const bytes = new Map<string, string>()
  const built: { readonly request: TraceRequest; readonly blocks: readonly Block[] }[] = []
  for (const request of requests) {
    const { plan } = await replay(request)
    if (plan === null) throw new Error(`the whole of ${conversation.name} does not fit`)
    // One copy of each block, since every request repeats all before it.
    const blocks = blocksOf(encoded(plan, 'anthropic'), measure.count).map(block => {
      const own = bytes.get(block.bytes) ?? block.bytes
      bytes.set(own, own)
      return { ...block, bytes: own }
    })
    built.push({ request, blocks })
  }
  return isIn => {
    const own = built.filter(({ request }) => isIn(request))
    const needs = own.reduce((sum, { request }) => sum + request.needs.length, 0)
    const sums = { ...noSums(), feasible: own.length, sent: own.length, valid: own.length, used: needs, visible: needs }
    charge(
      sums,
      own.map(({ blocks }) => blocks),
    )
    return sums
  }
}

/** Adds the second to the first. */
export function addSums(to: TraceSums, more: TraceSums): void {
  for (const key of ['feasible', 'sent', 'valid', 'exchanges', 'exchangesKept', 'units', 'used', 'visible'] as const)
    to[key] += more[key]
  to.bill = addBills(to.bill, more.bill)
  for (const [why, times] of more.whys) to.whys.set(why, (to.whys.get(why) ?? 0) + times)
}

function charge(sums: TraceSums, requests: readonly (readonly Block[])[]): void {
  for (const bill of billsOf(requests)) {
    sums.units += unitsOf(bill)
    sums.bill = addBills(sums.bill, bill)
  }
}

const addBills = (a: Bill, b: Bill): Bill => ({
  plain: a.plain + b.plain,
  written: a.written + b.written,
  read: a.read + b.read,
})

function encoded(plan: Plan, name: WireName): string {
  const { wire, model } = ENCODERS[name]
  return wire.encode({ ...plan, model }).body
}

function invalid(
  plan: Plan,
  anthropic: string,
  { cause, causes, newest }: TraceRequest,
  { isTranscript }: TraceWindow,
): string[] {
  const calls = newest?.results.map(({ call, tool }) => ({ id: call, tool })) ?? []
  const wanted = { cause: cause.text, mostCauses: causes, newest: calls, isTranscript }
  const whys = WIRES.flatMap(wire =>
    whyInvalid(wire, wire === 'anthropic' ? anthropic : encoded(plan, wire), wanted).map(why => `${wire}: ${why}`),
  )
  return [...new Set(whys)]
}

/** Nothing is wanted of an exchange that is beyond what a policy shows, or for which next to nothing is left. */
function isWanted({ entries }: Exchange, { least }: TraceRequest, { isTranscript, kind }: TraceWindow, limit: number): boolean {
  if (kind === 'whole' || (isTranscript && entries > MOST_ENTRIES)) return false
  return least.messages + limit / 4 + NOTE_TOKENS <= limit
}

/** A message above a quarter of the limit may be an excerpt. */
function isWhole(
  { largest, tokens, entries }: Exchange,
  { least }: TraceRequest,
  { isTranscript }: TraceWindow,
  limit: number,
): boolean {
  const form = NOTE_TOKENS + (isTranscript ? PER_ENTRY * entries : 0)
  return largest <= limit / 4 && least.messages + tokens + form <= limit
}

/** Both messages, or at least the beginning of one. */
function hasExchange(body: string, { heard, answered }: Exchange, isWhole: boolean): boolean {
  const texts = messagesIn('anthropic', body).flatMap(message => message.texts)
  const has = (text: string): boolean => texts.some(each => each.includes(text))
  return isWhole ? has(heard) && has(answered) : has(beginning(heard)) || has(beginning(answered))
}

/** The first words of the first line, with which an excerpt begins as well. */
function beginning(text: string): string {
  const [line = ''] = text.trimStart().split('\n')
  return line.length <= 24 ? line : line.slice(0, 24).replace(/\s\S*$/, '')
}

function tally({ whys }: TraceSums, found: readonly string[]): void {
  for (const why of found) whys.set(why, (whys.get(why) ?? 0) + 1)
}
