import type { Fault, FaultKind } from '../../src/model/fault.ts'
import type { Session } from '../../src/model/session.ts'
import { type Known, nameOf } from './called.ts'
import type { Shelf } from './route.ts'
import { spokenWords } from './shown.ts'
import type { Ending, ReplyEntry, View } from './view.ts'

/** What a session is called until somebody names it. */
export const titleOf = (session: Pick<Session, 'title' | 'preview'> | null): string =>
  session?.title ?? session?.preview ?? 'New conversation'

const SHELF_WORDS: Record<Shelf, string> = {
  agents: 'Agents',
  councils: 'Councils',
  skills: 'Skills and tools',
  policies: 'Policies',
  models: 'Models',
  usage: 'Usage',
  projects: 'Projects',
}

export const shelfWords = (shelf: Shelf): string => SHELF_WORDS[shelf]

const FAULTS: Record<FaultKind, string> = {
  invalid: 'The request was not valid',
  unauthorized: 'The provider did not accept the key',
  'not-found': 'The model was not found',
  conflict: 'Something else changed this at the same time',
  'too-large': 'The message is too large',
  'too-long': 'The conversation is too long for this model',
  budget: 'The budget is used up',
  throttled: 'The provider asked us to slow down',
  overloaded: 'The provider is overloaded',
  unreachable: 'The provider could not be reached',
  timeout: 'The provider took too long',
  garbled: 'The reply broke off in the middle',
  rejected: 'The provider rejected the request',
  refused: 'The model declined to answer',
  denied: 'The tool call was denied',
  tool: 'A tool failed',
  cancelled: 'Stopped',
  store: 'The store did not answer',
  bug: 'Something went wrong inside Turnwise',
}

export const faultWords = (fault: Fault): string => FAULTS[fault.kind] ?? fault.kind

/** How a turn ended, where that is worth a line; null where it simply ended. */
export function endWords({ reason, fault }: Ending): string | null {
  switch (reason) {
    case 'done':
      return null
    case 'cancelled':
      return 'Stopped'
    case 'interrupted':
      return 'Interrupted before it was finished'
    case 'limit':
      return 'Stopped at the limit of steps'
    case 'failed':
      return fault === null ? 'The turn failed' : faultWords(fault)
  }
}

const LONGEST_ANNOUNCEMENT = 600

/** What is read aloud when a turn has ended. */
export function announcementOf({ view, ...known }: Known & { readonly view: View }, turn: string): string {
  const stretches = view.entries.filter((entry): entry is ReplyEntry => entry.kind === 'reply' && entry.turn === turn)
  const text = stretches.flatMap(entry => spokenWords(entry.steps)).join(' ')
  const last = stretches.at(-1)
  const end = last?.end === null || last?.end === 'continued' || last === undefined ? null : endWords(last.end)
  const shown = text.length > LONGEST_ANNOUNCEMENT ? `${text.slice(0, LONGEST_ANNOUNCEMENT)} …` : text
  return [`${last === undefined ? '' : nameOf(known, last)} replied:`, shown, end === null ? '' : `${end}.`]
    .filter(part => part !== '')
    .join(' ')
}

const DAY_MS = 86_400_000

/** The heading a session stands under, by the reader's own calendar. */
export function dateGroup(at: string, now: Date): string {
  const then = new Date(at)
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const days = Math.ceil((midnight - then.getTime()) / DAY_MS)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days <= 7) return 'Previous 7 days'
  if (days <= 30) return 'Previous 30 days'
  return then.toLocaleDateString('en', { month: 'long', year: 'numeric' })
}

export const count = (value: number): string => value.toLocaleString('en')

export const clockTime = (at: string): string => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** Exactly what would be run: each element by itself, so that a space or a quote inside one cannot be mistaken. */
export const argvWords = (argv: readonly string[]): string =>
  argv.map(each => (/^[\w./:=@%+,-]+$/.test(each) ? each : JSON.stringify(each))).join(' ')
