// Asks a person about waiting calls, one by one.
import type { Signal } from '../../../engine.ts'
import type { ApprovalAnswer, Recorded } from '../../../model/event.ts'
import type { ApprovalId } from '../../../model/ids.ts'
import { approvalLines } from '../output/approval-lines.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import { shownArgv } from '../sessions/transcript.ts'
import { type Approve, refusal } from '../talk/decide.ts'
import type { Editor } from '../terminal/line-editor/editor.ts'

type Asked = Extract<Recorded, { type: 'approval.asked' }>

/** Asks the person about waiting calls, one by one. A question disappears when another client answers it. */
export type Questions = {
  readonly hear: (signal: Signal) => void
  /** Takes the next line as a reason if one was asked for. */
  readonly takesReason: (line: string) => boolean
  /** Drops all questions because the person went to another session. */
  readonly forget: () => void
}

export type QuestionsOptions = {
  readonly editor: Pick<Editor, 'key'>
  readonly ink: Ink
  readonly approve: Approve
  readonly answer: (approval: ApprovalId, answer: ApprovalAnswer, reason?: string) => Promise<void>
  readonly note: (line: string) => void
  readonly onBug: (cause: unknown) => void
}

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = { y: 'once', s: 'session', a: 'always', n: 'deny' }
const KEYS = 'ysanr'

export function createQuestions({ editor, ink, approve, answer, note, onBug }: QuestionsOptions): Questions {
  const open = new Map<ApprovalId, AbortController>()
  let unexplained: ApprovalId | undefined

  const close = (approval: ApprovalId): void => {
    open.get(approval)?.abort()
    open.delete(approval)
    if (unexplained === approval) unexplained = undefined
  }
  const ask = async (asked: Asked, taken: AbortSignal): Promise<void> => {
    const { approval, tool, argv } = asked
    const words = [
      `${ink.name('?')} May ${ink.bold(escapeToOneLine(tool))} run this?`,
      `  ${shownArgv(argv)}`,
      ...approvalLines(asked).map(ink.dim),
      `  ${ink.dim('[y] once  [s] this session  [a] always  [n] no  [r] no, with a reason')}`,
    ].join('\n')
    const key = await editor.key(words, [...KEYS], taken)
    // Another client answered, or the person pressed Ctrl-C, which stops the whole turn.
    if (key === undefined) return
    if (key === 'r') {
      unexplained = approval
      return note('type the reason, and press Enter')
    }
    const word = ANSWERS[key] ?? 'deny'
    note(`${escapeToOneLine(tool)}: ${WORDS[word]}`)
    await answer(approval, word)
  }

  return {
    hear: signal => {
      if (signal.type !== 'event') return
      const { event } = signal
      if (event.type === 'approval.answered') {
        const wasOpen = open.get(event.approval)?.signal.aborted === false
        close(event.approval)
        if (wasOpen && event.answer === 'deny' && event.reason !== undefined)
          note(`${escapeToOneLine(event.tool)}: not allowed: ${escapeToOneLine(event.reason)}`)
      }
      if (event.type !== 'approval.asked') return
      const taken = new AbortController()
      open.set(event.approval, taken)
      const answered = approve === 'ask' ? ask(event, taken.signal) : answer(event.approval, 'deny', refusal(approve))
      answered.catch(onBug)
    },
    takesReason: line => {
      const approval = unexplained
      if (approval === undefined) return false
      unexplained = undefined
      answer(approval, 'deny', line.trim() === '' ? undefined : line.trim()).catch(onBug)
      return true
    },
    forget: () => {
      for (const approval of [...open.keys()]) close(approval)
    },
  }
}

const WORDS: Readonly<Record<ApprovalAnswer, string>> = {
  once: 'allowed once',
  session: 'allowed for this session',
  always: 'allowed for good',
  deny: 'not allowed',
}
