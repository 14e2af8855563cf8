// Asks a person about calls that wait.
import { createInterface } from 'node:readline/promises'
import type { Signal } from '../../../engine.ts'
import type { ApprovalAnswer, Recorded } from '../../../model/event.ts'
import { approvalLines } from '../output/approval-lines.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import type { Terminal } from '../output/terminal.ts'
import { shownArgv } from '../sessions/transcript.ts'
import type { AnsweringEngine } from './answering-engine.ts'

type Asked = Extract<Recorded, { type: 'approval.asked' }>

/** Asks a person about waiting calls as they arrive. A question disappears when another client answers it. */
export type Decider = { readonly hear: (signal: Signal) => void; readonly end: () => void }

/**
 * Whether to ask a person about waiting calls or refuse all of them at once. A call that the person always allows never waits,
 * so `allow-list` and `never` both refuse every call that does wait.
 */
export type Approve = 'ask' | 'allow-list' | 'never'

export const refusal = (approve: Exclude<Approve, 'ask'>): string => `nothing that asks is allowed here (--approve=${approve})`

const LETTERS: Readonly<Record<string, ApprovalAnswer>> = { y: 'once', s: 'session', a: 'always', n: 'deny' }

export function createDecider(terminal: Terminal, answerer: AnsweringEngine, approve: Approve = 'ask'): Decider {
  const open = new Map<string, AbortController>()
  let last: Promise<void> = Promise.resolve()
  const close = (approval: string): void => {
    open.get(approval)?.abort()
    open.delete(approval)
  }
  const decided = async (asked: Asked, taken: AbortSignal): Promise<void> => {
    if (approve === 'ask') await decide(terminal, answerer, asked, taken)
    else await answerer.verbs.answer(asked.approval, 'deny', refusal(approve))
  }
  return {
    hear: signal => {
      if (signal.type !== 'event') return
      const { event } = signal
      if (event.type === 'approval.answered') close(event.approval)
      if (event.type !== 'approval.asked') return
      const controller = new AbortController()
      open.set(event.approval, controller)
      // Asks one question at a time, because a terminal has one line.
      last = last.then(() => decided(event, controller.signal)).catch(() => undefined)
    },
    end: () => {
      for (const approval of [...open.keys()]) close(approval)
    },
  }
}

/** Without a person at the terminal, another client of the gateway may answer. Without a gateway the call is denied. */
async function decide(terminal: Terminal, answerer: AnsweringEngine, asked: Asked, taken: AbortSignal): Promise<void> {
  const { stdin, stderr } = terminal
  if (stdin.isTTY === true && stderr.isTTY === true) return question(terminal, answerer, asked, taken)
  if (answerer.isAlone) return void (await answerer.verbs.answer(asked.approval, 'deny', 'nobody is there to allow it'))
  stderr.write(`${escapeToOneLine(asked.tool)} waits for a person: ${shownArgv(asked.argv)}\n`)
  for (const line of approvalLines(asked)) stderr.write(`${line}\n`)
  stderr.write(`answer it on the page, or with: turnwise approvals ${escapeToOneLine(asked.approval)} once|session|always|deny\n`)
}

async function question(
  { stdin, stderr, environment }: Terminal,
  answerer: AnsweringEngine,
  asked: Asked,
  taken: AbortSignal,
): Promise<void> {
  const { name, dim } = inkFor(stderr, environment)
  const facts = approvalLines(asked).map(line => `${dim(line)}\n`)
  const words = `\n${name('?')} May ${escapeToOneLine(asked.tool)} run this?\n  ${shownArgv(asked.argv)}\n${facts.join('')}  [y] once  [s] this session  [a] always  [n] no: `
  const reader = createInterface({ input: stdin, output: stderr })
  try {
    for (let answer: ApprovalAnswer | undefined; !taken.aborted && answer === undefined; ) {
      const letter = (await reader.question(words, { signal: taken })).trim().toLowerCase()
      answer = Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined
      if (answer !== undefined) await answerer.verbs.answer(asked.approval, answer)
    }
  } finally {
    reader.close()
  }
}
