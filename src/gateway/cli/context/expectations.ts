// Checks a planned request against a case's expectations.
import type { Evidence, SentContext } from '../../../engine.ts'
import type { CacheLint } from '../../../model/receipt.ts'
import type { Expectation } from '../../workspace/policy-tests-file.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { figure, fitted } from '../output/phrase.ts'
import { reasonWords } from '../output/reason-words.ts'

/** The parts of a planned request that expectations look at. */
export type LookedAtRequest = {
  /** Every text in the body of the request. */
  readonly texts: readonly string[]
  readonly tokens: number
  /** Compared with the request of the voice's previous turn; null for its first turn. */
  readonly cache: CacheLint | null
  /** The replies in it of the voices that the case asks about. */
  readonly heard: readonly VoiceReply[]
  /** The messages that the case wants to be recalled. */
  readonly evidence?: readonly Evidence[]
}

/** A reply of a voice, with its seq. */
export type VoiceReply = { readonly voice: string; readonly seq: number; readonly text: string }

/** Why a request is not as expected, one reason each; empty if it is as expected. */
export function unmet(expected: Expectation, { texts, tokens, cache, heard, evidence = [] }: LookedAtRequest): readonly string[] {
  const has = (text: string): boolean => texts.some(each => each.includes(text))
  return [
    ...expected.contains.filter(text => !has(text)).map(text => `does not contain ${quoted(text)}`),
    ...expected.omits.filter(has).map(text => `contains ${quoted(text)}`),
    ...missing(evidence),
    ...tooMany(tokens, expected.atMostTokens),
    ...tooLittleCached(cache, expected.cachedAtLeast),
    ...expected.doesNotSee.flatMap(voice => {
      const [first] = heard.filter(reply => reply.voice === voice)
      return first === undefined ? [] : [`sees what ${escapeToOneLine(voice)} said (seq ${first.seq})`]
    }),
  ]
}

/** Which messages a request does not have, and why; those with the same reason together. */
function missing(evidence: readonly Evidence[]): readonly string[] {
  const reasons = Map.groupBy(
    evidence.filter(each => !each.in),
    whyMissing,
  )
  return [...reasons].map(([why, all]) => `does not have seq ${all.map(({ seq }) => seq).join(', ')}: ${why}`)
}

/** The reason on the receipt, and how far the message was from being quoted. */
function whyMissing({ reason, recall }: Evidence): string {
  const out = `${reasonWords(reason)} (${reason})`
  if (recall === undefined) return out
  if (!recall.isFound) return `${out}; not found by recall`
  const { rank, of, needs, isRelated } = recall
  const place = `not quoted by recall: rank ${figure(rank)} of ${figure(of)}`
  if (needs > 0) return `${out}; ${place}, needs ${figure(needs)} more tokens`
  return `${out}; ${place}, ${isRelated ? 'does not match well enough' : 'has none of the words'}`
}

/** What a case is told even if it passes: which messages were recalled only in part. */
export const remarksAbout = (evidence: readonly Evidence[] = []): readonly string[] => {
  const inPart = evidence.filter(({ in: isIn, part }) => isIn && part === true)
  return inPart.length === 0 ? [] : [`has seq ${inPart.map(({ seq }) => seq).join(', ')} in part`]
}

function tooMany(tokens: number, most = Number.POSITIVE_INFINITY): readonly string[] {
  return tokens <= most ? [] : [`has ${figure(tokens)} tokens, ${figure(tokens - most)} too many`]
}

function tooLittleCached(cache: CacheLint | null, least: number | undefined): readonly string[] {
  if (least === undefined) return []
  if (cache === null) return ['is the first request of its voice, so nothing of it is cached']
  if (cache.stableShare >= least) return []
  const { brokenBy } = cache
  const why =
    brokenBy === null ? 'the rest is new' : `broken by ${escapeToOneLine(brokenBy.item)} (${reasonWords(brokenBy.reason)})`
  // With one decimal, because 79.9 % must not be shown as the wanted 80 %.
  return [`only ${Math.round(cache.stableShare * 1000) / 10} % cached; ${why}`]
}

/** How many characters of a text are quoted to identify it. */
const MOST_QUOTED = 40

const quoted = (text: string): string => `"${fitted(escapeToOneLine(text), MOST_QUOTED)}"`

/** Every text of a body at any depth, in order. */
export function textsIn(body: unknown): readonly string[] {
  if (typeof body === 'string') return [body]
  if (typeof body !== 'object' || body === null) return []
  return Object.values(body).flatMap(textsIn)
}

/** This many characters at the beginning of an answer tell it from others. */
const LEAD = 40

/**
 * Which replies a request shows. A reply that is an item of its own begins at the reply's seq. A reply among others, as when
 * advisors hear each other, lies within the range of a receipt line, and its text follows a name.
 */
export function heardIn({ outline, receipt, request }: SentContext, replies: readonly VoiceReply[]): readonly VoiceReply[] {
  const begun = new Set(outline.flatMap(({ from }) => from ?? []))
  const texts = textsIn(request?.body)
  return replies.filter(({ seq, text }) => {
    if (begun.has(seq)) return true
    const isWithin = receipt.in.some(({ from, to }) => from !== undefined && to !== undefined && from <= seq && seq <= to)
    return isWithin && text !== '' && texts.some(each => each.includes(`: ${text.slice(0, LEAD)}`))
  })
}
