// Says how a process ended, in the words the model reads.
import type { Settlement } from '../toolbox.ts'
import { bound, MOST_KEPT } from './bound-output.ts'
import type { Captured } from './capture.ts'

/** How a process ended. */
export type End =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'flood'; readonly bytes: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'unstarted'; readonly code: string }

/** A finished process: how it ended, and what it wrote. */
export type Ran = { readonly end: End; readonly stdout: Captured; readonly stderr: Captured }

/** What the model reads about a finished process. */
export function settlementOfRun({ end, stdout, stderr }: Ran): Settlement {
  const content = contentOf(stdout, stderr)
  return {
    ok: end.kind === 'exit' && end.code === 0,
    outcome: outcomeOf(end),
    ...(content === '' ? {} : { content }),
  }
}

/** How a process ended, in a few words. */
export function outcomeOf(end: End): string {
  switch (end.kind) {
    case 'exit':
      return end.code === 0 ? 'done' : `exit code ${end.code}${EXIT_WORDS[end.code] ?? ''}`
    case 'signal':
      return `killed by ${end.signal}`
    case 'timeout':
      return `timed out after ${end.afterMs < 1000 ? `${end.afterMs} ms` : `${end.afterMs / 1000} s`}; it was stopped`
    case 'flood':
      return `wrote more than ${Math.floor(end.bytes / 1024 / 1024)} MiB; it was stopped`
    case 'cancelled':
      return 'cancelled; it was stopped'
    case 'unstarted':
      return `could not be started: ${ERROR_WORDS[end.code] ?? end.code}`
  }
}

/** Exit codes as shells use them. */
const EXIT_WORDS: Readonly<Record<number, string>> = {
  126: ': something could not be executed',
  127: ': something was not found',
}

const ERROR_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  ENOEXEC: 'not a program',
  ENOTDIR: 'not a folder',
  E2BIG: 'the arguments are too long',
  EAGAIN: 'too many processes',
  EMFILE: 'too many open files',
  ENOMEM: 'not enough memory',
}

/** The text of stdout, then of stderr. Each gets at least half of the room, and the room that the other does not need. */
function contentOf(stdout: Captured, stderr: Captured): string {
  const half = MOST_KEPT / 2
  const printed = bound(stdout, MOST_KEPT - Math.min(half, stderr.bytes))
  if (stderr.bytes === 0) return printed
  const complained = bound(stderr, MOST_KEPT - Math.min(half, stdout.bytes))
  return `${printed}${printed === '' || printed.endsWith('\n') ? '' : '\n'}stderr:\n${complained}`
}
