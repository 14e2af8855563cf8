// Reads what a person types and runs it until they leave.
import type { Fault } from '../../../model/fault.ts'
import type { Editor } from '../terminal/line-editor/editor.ts'
import type { ChatContext } from './chat-context.ts'
import { typed } from './commands/command.ts'
import { enterLine } from './commands/commands.ts'
import type { LiveReader } from './live-reader.ts'
import type { Questions } from './questions.ts'
import type { ChatScreen } from './screen.ts'

/** Everything that a typed line may need. */
export type Typing = {
  readonly chatContext: ChatContext
  readonly editor: Pick<Editor, 'read'>
  readonly follower: Pick<LiveReader, 'isBusy' | 'stop'>
  readonly screen: Pick<ChatScreen, 'passed'>
  readonly questions: Pick<Questions, 'takesReason'>
  readonly compose: NonNullable<ChatContext['compose']>
  readonly note: (line: string) => void
  readonly trouble: (fault: Fault) => void
  readonly onBug: (cause: unknown) => void
  readonly showFooter: () => void
  readonly prompt: string
  /** Whether a list is on the screen whose numbers can be typed. */
  readonly isPicking: boolean
  readonly isOver: () => boolean
}

/** Two Ctrl-C within this time leave the chat, even while an answer is running. */
const TWICE_MS = 1000

/** Reads and runs what a person types until they leave. */
export async function type(typing: Typing): Promise<void> {
  const { chatContext, editor, follower, screen, questions, compose, note, trouble, onBug, showFooter, prompt, isOver } = typing
  let { isPicking } = typing
  let draft = ''
  let [interrupts, interruptedAt] = [0, Number.NEGATIVE_INFINITY]

  /** Whether the person asked to leave. */
  const interrupt = (): boolean => {
    const isSecond = performance.now() - interruptedAt < TWICE_MS
    const isBusy = follower.isBusy()
    interruptedAt = performance.now()
    interrupts = isBusy ? 0 : interrupts + 1
    if (isBusy) follower.stop().catch(onBug)
    else if (!isSecond && interrupts === 1) note('Ctrl-C once more leaves, and so does Ctrl-D')
    return isSecond || interrupts > 1
  }
  const edit = async (text: string): Promise<void> => {
    const written = await compose(text)
    if (!written.ok) trouble(written.fault)
    draft = written.ok ? written.value : text
  }
  const submit = async (text: string): Promise<void> => {
    const isNumber = isPicking && /^\d+$/.test(text.trim())
    isPicking = false
    const done = await enterLine(chatContext, isNumber ? `/sessions ${text.trim()}` : text)
    draft = chatContext.drafted
    chatContext.drafted = ''
    if (done.ok) return
    trouble(done.fault)
    // A message that could not be sent goes back to the input so that the person can send it again.
    if (typed(text).type === 'text') draft = text
  }

  while (!isOver()) {
    showFooter()
    const event = await editor.read({ prompt, ...(draft === '' ? {} : { initial: draft }) })
    draft = ''
    if (event.type === 'end') return
    screen.passed()
    if (event.type === 'interrupt') {
      draft = event.text
      if (interrupt()) return
      continue
    }
    ;[interrupts, interruptedAt] = [0, Number.NEGATIVE_INFINITY]
    if (event.type === 'external') await edit(event.text)
    else if (!questions.takesReason(event.text) && event.text.trim() !== '') await submit(event.text)
  }
}
