// Adds up what a session used, for the footer.
import { seenIn, unseenIn } from '../../../context/receipt/seen.ts'
import type { Session } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import type { Usage } from '../../../model/message/delta.ts'
import { isReply } from '../../../model/message/spoken.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { isInternalVoice } from '../../../model/settings/council.ts'
import { billionths, type UsageSum } from '../../../model/usage.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { figure, fitted, money } from '../output/phrase.ts'

/** Adds up what a session used as events arrive: in the last round, and in total. */
export type Tally = {
  readonly hear: (event: Recorded) => void
  /** Sets what the session used before this chat began to listen. */
  readonly begin: (sum: Pick<UsageSum, keyof Used>) => void
  /** Takes in earlier events, which that sum already includes. */
  readonly recall: (events: readonly Recorded[]) => void
  /** One line that fits into this many columns. */
  readonly line: (about: Session, columns: number) => string
}

type Used = { readonly input: number; readonly output: number; readonly cacheRead: number; readonly costUsd: number | null }

/** The newest request; `saw` says how many messages it had, if it left any out, and how many in summary or by recall. */
type LastRequest = {
  readonly model: string
  readonly estimated: number
  readonly limit: number
  readonly saw: string | undefined
}

const NOTHING: Used = { input: 0, output: 0, cacheRead: 0, costUsd: 0 }

export function createTally(): Tally {
  let [last, all] = [NOTHING, NOTHING]
  let cause = 0
  let full: LastRequest | undefined
  /** The turns whose words are no part of the conversation. */
  const internal = new Set<string>()

  const hear: Tally['hear'] = event => {
    if (event.type === 'turn.started' && isInternalVoice(event.voice)) internal.add(event.turn)
    if (event.type === 'turn.started' && !isInternalVoice(event.voice) && event.cause !== cause) {
      cause = event.cause
      last = NOTHING
    }
    if (event.type === 'context.planned' && !internal.has(event.turn))
      full = { model: event.receipt.model, ...event.receipt.tokens, saw: sawWords(event.receipt) }
    if (!isReply(event) || event.usage === undefined) return
    all = added(all, event.usage)
    if (!internal.has(event.turn)) last = added(last, event.usage)
  }

  return {
    hear,
    begin: sum => {
      ;[last, all, cause, full] = [NOTHING, sum, 0, undefined]
    },
    recall: events => {
      const sum = all
      for (const event of events) hear(event)
      all = sum
    },
    line: (about, columns) => {
      const who = about.council === null ? (about.agent ?? 'assistant') : `council ${about.council}`
      const model = full?.model ?? about.model ?? undefined
      const parts = [
        ...(model === undefined ? [] : [model]),
        ...(last === NOTHING ? [] : [usedWords(last, { whole: true })]),
        ...(full === undefined ? [] : [`ctx ${share(full.estimated, full.limit)}/${compact(full.limit)}`]),
        ...(full?.saw === undefined ? [] : [full.saw]),
        ...(all.output === last.output ? [] : [`Σ ${usedWords(all, { whole: false })}`]),
        ...(about.title === null ? [] : [about.title]),
        who,
        about.policy,
      ]
      return fitted(parts.map(escapeToOneLine).join(' · '), columns)
    },
  }
}

function sawWords(receipt: Receipt): string | undefined {
  const { messages, of, folded = 0 } = seenIn(receipt)
  const recalled = receipt.recall?.messages ?? 0
  const words = [
    ...(unseenIn(receipt) === 0 ? [] : [`saw ${figure(messages)} of ${figure(of)}`]),
    ...(folded === 0 ? [] : [`${figure(folded)} summarized`]),
    ...(recalled === 0 ? [] : [`${figure(recalled)} recalled`]),
  ]
  return words.length === 0 ? undefined : words.join(', ')
}

const added = (used: Used, { input, output, cacheRead, cacheWrite, costUsd }: Usage): Used => ({
  input: used.input + input + cacheWrite,
  output: used.output + output,
  cacheRead: used.cacheRead + cacheRead,
  costUsd: used.costUsd === null || costUsd === undefined ? null : billionths(used.costUsd + costUsd),
})

/**
 * Fresh input, output and cached input; a cost only if a price is known. The last round leaves out zero values, and the total
 * shows them.
 */
const usedWords = ({ input, output, cacheRead, costUsd }: Used, { whole }: { readonly whole: boolean }): string =>
  [
    `↑${compact(input)}`,
    `↓${compact(output)}`,
    ...(cacheRead === 0 && !whole ? [] : [`R${compact(cacheRead)}`]),
    ...(costUsd === null || (costUsd === 0 && !whole) ? [] : [money(costUsd)]),
  ].join(' ')

const share = (part: number, whole: number): string => {
  const hundredths = whole === 0 ? 0 : (part / whole) * 100
  return `${hundredths < 10 ? hundredths.toFixed(1) : Math.round(hundredths)}%`
}

/** As few digits as still tell the reader something. */
export function compact(value: number): string {
  if (value < 1000) return String(value)
  const [size, unit] = value < 999_500 ? [1000, 'k'] : [1_000_000, 'M']
  const scaled = value / size
  return `${scaled < 9.95 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${unit}`
}
