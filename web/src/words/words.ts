// Words for sessions, turns and counts.
import type { Session } from '../../../src/model/session.ts'
import { type KnownVoices, shownVoiceName } from '../view/called.ts'
import type { WorkspacePageName } from '../view/route.ts'
import { spokenWords } from '../view/shown.ts'
import type { Ending, ReplyEntry, View } from '../view/view.ts'
import { faultWords } from './fault-words.ts'

/** The title of a session until a person or a model names it. */
export const sessionTitle = (session: Pick<Session, 'title' | 'preview'> | null): string =>
  session?.title ?? session?.preview ?? 'New conversation'

const PAGE_TITLES: Record<WorkspacePageName, string> = {
  agents: 'Agents',
  councils: 'Councils',
  skills: 'Skills and tools',
  policies: 'Policies',
  memory: 'Memory',
  models: 'Models',
  mcp: 'MCP servers',
  usage: 'Usage',
  settings: 'Settings',
  projects: 'Projects',
}

export const pageTitle = (target: WorkspacePageName): string => PAGE_TITLES[target]

/** How a turn ended, if that is worth a line; null if it simply ended. */
export function endWords({ reason, fault }: Ending, model: string | null = null): string | null {
  switch (reason) {
    case 'done':
      return null
    case 'cancelled':
      return 'Stopped'
    case 'interrupted':
      return 'Interrupted before it was finished'
    case 'limit':
      return fault === null ? 'Stopped at the limit of steps' : 'Stopped at the token limit'
    case 'failed':
      return fault === null ? 'The turn failed' : faultWords(fault, model)
  }
}

const LONGEST_ANNOUNCEMENT = 600

/** What is read aloud when a turn has ended. */
export function announcementOf({ view, ...known }: KnownVoices & { readonly view: View }, turn: string): string {
  const stretches = view.entries.filter((entry): entry is ReplyEntry => entry.kind === 'reply' && entry.turn === turn)
  const text = stretches.flatMap(entry => spokenWords(entry.steps)).join(' ')
  const last = stretches.at(-1)
  // What is not shown is not read aloud, either: a title that was found, say.
  if (last === undefined) return ''
  const end = last.end === null || last.end === 'continued' ? null : endWords(last.end)
  const shown = text.length > LONGEST_ANNOUNCEMENT ? `${text.slice(0, LONGEST_ANNOUNCEMENT)} …` : text
  return [`${shownVoiceName(known, last)} replied:`, shown, end === null ? '' : `${end}.`].filter(part => part !== '').join(' ')
}

const DAY_MS = 86_400_000

/** The heading above a session in the list, by the reader's own calendar. */
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

export const formatCount = (value: number): string => value.toLocaleString('en')

/** A day as the reader's own calendar has it. */
export const calendarDay = (at: string): string =>
  new Date(at).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' })

export const clockTime = (at: string): string => new Date(at).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })

export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** Exactly what would be run: each element by itself, so that a space or a quote inside one cannot be mistaken. */
export const argvWords = (argv: readonly string[]): string =>
  argv.map(each => (/^[\w./:=@%+,-]+$/.test(each) ? each : JSON.stringify(each))).join(' ')

const LONGEST_EXCERPT = 90

/** The beginning of a text, on one line. */
export function excerpt(text: string): string {
  const line = text
    .slice(0, LONGEST_EXCERPT * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT)} …` : line
}

const LONGEST_LINE = 120

/** Arguments as people read them: the text so far while a call is being written, JSON afterwards. */
export const argsText = (args: unknown): string => (typeof args === 'string' ? args : (JSON.stringify(args, null, 2) ?? ''))

/** Arguments on one line: names and values where they are an object, else as they came. */
export function argsLine(args: string): string {
  const line = named(args).replaceAll(/\s+/g, ' ').trim()
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line
}

function named(args: string): string {
  try {
    const value: unknown = JSON.parse(args)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return args
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${typeof each === 'string' ? each : JSON.stringify(each)}`)
      .join(', ')
  } catch {
    // It is still being written.
    return args
  }
}
