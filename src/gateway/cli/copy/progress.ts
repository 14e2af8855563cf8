// The progress line of a copy, and its summary for people.
import type { ComparedHouses, Copied, CopyProgress, HouseCounts } from '../../../log/copy/open-houses.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { counted, figure } from '../output/phrase.ts'
import type { Terminal } from '../output/terminal.ts'
import type { CopyStores } from './stores.ts'
import type { ReceiptTally } from './verify-receipts.ts'

/** Everything that came of a copy. */
export type CopyReport = {
  readonly from: string
  readonly to: string
  readonly copied: Copied
  readonly compared: ComparedHouses
  readonly receipts: ReceiptTally
  /** The files of the workspace that were written from the database. */
  readonly files: readonly string[]
}

const EVERY_MS = 100
const WORDS: Readonly<Record<CopyProgress['doing'], string>> = {
  looking: 'looking at what is there',
  copying: 'copying',
  comparing: 'comparing',
}

export type CopyMeter = {
  readonly tell: (progress: CopyProgress) => void
  readonly verified: (requests: number) => void
  readonly clear: () => void
}

/** A line for people who watch. */
export function copyMeter({ stderr }: Terminal, all: Pick<HouseCounts, 'sessions' | 'events'>): CopyMeter {
  let toldAt = Number.NEGATIVE_INFINITY
  const say = (line: string): void => {
    if (stderr.isTTY !== true || performance.now() - toldAt < EVERY_MS) return
    toldAt = performance.now()
    stderr.write(`\r\x1b[K${line} …`)
  }
  return {
    tell: ({ doing, sessions, events }) => {
      const done = `${figure(sessions)} of ${counted(all.sessions, 'session')}`
      say(`${WORDS[doing]}: ${done}${doing === 'looking' ? '' : `, ${figure(events)} of ${counted(all.events, 'event')}`}`)
    },
    verified: requests => say(`verifying: ${counted(requests, 'request')}`),
    clear: () => {
      if (stderr.isTTY === true && toldAt > 0) stderr.write('\r\x1b[K')
    },
  }
}

export function summaryOf(report: CopyReport, { to }: Pick<CopyStores, 'to'>): readonly string[] {
  const { copied, compared, receipts, files } = report
  const [from, target] = [escapeToOneLine(report.from), escapeToOneLine(report.to)]
  const there = copied.there === 0 ? '' : ` (${counted(copied.there, 'session')} there already)`
  const comparable = receipts.identical + receipts.different
  const unknown = receipts.notComparable === 0 ? '' : `, ${figure(receipts.notComparable)} not comparable`
  const next =
    to.kind === 'sqlite'
      ? `set "store": "sqlite:${escapeToOneLine(to.file)}" in turnwise.json, and start the gateway`
      : 'set TURNWISE_STORE, or "store" in turnwise.json, to the address it was copied to, on every node, and start them'
  return [
    `Copied ${counted(copied.sessions, 'session')} with ${counted(copied.events, 'event')} from ${from} to ${target}${there}.`,
    `Both have the same ${counted(compared.sessions, 'session')}, ${counted(compared.events, 'event')}, ${counted(compared.usage, 'row')} of usage: ${compared.digest}`,
    comparable + receipts.notComparable === 0
      ? 'Nothing was sent yet, so there is nothing to verify.'
      : `${figure(receipts.identical)}/${figure(comparable)} requests identical on both sides${unknown}.`,
    ...(files.length === 0
      ? []
      : [`Wrote ${escapeToOneLine(files.join(', '))} from the database; what was there before is beside it as .bak.`]),
    `${from} was left as it is. Next: ${next}.`,
  ]
}
