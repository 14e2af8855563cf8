// A chat in a terminal: typing below, answers above.
import { type Fault, fault } from '../../../model/fault.ts'
import type { Result } from '../../../model/result.ts'
import type { Advisor } from '../../../model/settings/council.ts'
import { byWords } from '../output/by-words.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { inkFor, isColourful } from '../output/ink.ts'
import { complain } from '../output/terminal.ts'
import { oneVoiceAtATime } from '../talk/one-voice-at-a-time.ts'
import { createEditor, type Editor } from '../terminal/line-editor/editor.ts'
import { editOutside } from '../terminal/line-editor/external.ts'
import { paintedWhole } from '../terminal/paint/on-terminal.ts'
import { createPainter } from '../terminal/paint/painter.ts'
import { shadeOf } from '../terminal/paint/shade.ts'
import type { ChatStart } from './chat.ts'
import { type ChatContext, createChatContext, takeUp } from './chat-context.ts'
import { CHAT_COMMANDS } from './commands/commands.ts'
import { completing, mentionedNames } from './commands/complete.ts'
import { listSessions } from './commands/session-commands.ts'
import { createTally } from './footer.ts'
import { openHistory } from './history.ts'
import { createGatewayLink } from './link.ts'
import { createLiveReader } from './live-reader.ts'
import { paperFor } from './paper.ts'
import { createQuestions } from './questions.ts'
import { createChatScreen } from './screen.ts'
import { createSideBySide } from './sides.ts'
import { type } from './typing.ts'
import { createVoices } from './voices.ts'

/** Runs a chat on a terminal: the person types below while answers appear above. */
export async function liveChat(start: ChatStart): Promise<number> {
  const { terminal, workspace, reader, answerer, options, stop } = start
  const { environment } = terminal
  const ink = inkFor(terminal.stdout, environment)
  const history = openHistory(workspace.home)
  const editor: Editor = createEditor(terminal, {
    history: history.lines,
    onHistory: history.add,
    complete: completing({
      ...mentionedNames(reader),
      commands: CHAT_COMMANDS.map(({ name }) => name),
      advisors: () => advisors().map(({ id }) => id),
    }),
    isBusy: () => follower.isBusy(),
    takesInterrupt: () => link.giveUp(),
  })
  let chatContext: ChatContext | undefined
  let isOver = false
  /** While the person's own editor runs, Ctrl-C belongs to that editor. A signal from outside still ends the chat. */
  let isAway = false
  const onInterrupt = (): void => {
    if (!isAway) editor.close()
  }
  process.on('SIGINT', onInterrupt)
  const screen = createChatScreen(editor)
  const note = (line: string): void => screen.between(...byWords(`· ${escapeToOneLine(line)}`, editor.columns()).map(ink.dim))
  const trouble = ({ message }: Fault): void =>
    screen.between(...byWords(`! ${escapeToOneLine(message)}`, editor.columns()).map(ink.warn))
  const onBug = (cause: unknown): void => trouble(fault('bug', `something went wrong inside Turnwise: ${wordsOf(cause)}`))
  const link = createGatewayLink({
    workspace,
    environment,
    first: answerer,
    stop,
    onNews: note,
    isIdle: () => follower.isQuiet(),
  })
  const own = new Set<string>()
  const isOwn = (key: string | undefined): boolean => key !== undefined && own.has(key)
  const color = isColourful(terminal.stdout, environment)
  const advisors = (): readonly Advisor[] =>
    reader.councils().find(({ key }) => key === chatContext?.about().council)?.advisors ?? []
  const shade = (name: string): string => shadeOf(advisors().find(advisor => advisor.name === name)?.color)
  const voices = createVoices({ screen, ink, color, shade, note, isOwn })
  const tally = createTally()
  const showFooter = (): void => {
    if (chatContext !== undefined) editor.footer(ink.dim(tally.line(chatContext.about(), editor.columns())))
  }
  const questions = createQuestions({
    ...{ editor, ink, note, onBug, approve: options.approve ?? 'ask' },
    answer: async (approval, answer, reason) => {
      const given = await link.act(verbs => verbs.answer(approval, answer, reason))
      if (!given.ok) trouble(given.fault)
    },
  })
  const oneByOne = oneVoiceAtATime({ ...voices, end: () => ({ endings: [] }) }, true)
  const sides = createSideBySide({ screen, rows: () => terminal.stdout.rows ?? 24, color, advisors, others: oneByOne })
  const follower = createLiveReader({
    ...{ link, reader, screen, voices: sides, questions, tally, note, onBug, own },
    looks: { ink, paint: answer => paintedWhole(createPainter({ columns: screen.columns(), color }), answer) },
    onNews: event => {
      if (event.type === 'session.changed') chatContext?.refresh().then(showFooter).catch(onBug)
      else showFooter()
    },
  })

  const compose = async (text: string): Promise<Result<string, Fault>> => {
    isAway = true
    const written = await editOutside(editor, environment, text)
    isAway = false
    return written
  }

  const made = await createChatContext(
    {
      ...{ workspace, reader, ink, note, follower, act: link.act },
      terminal: paperFor(terminal, text => screen.between(...text.replace(/\n$/, '').split('\n'))),
      print: (...lines) => screen.between(...lines.flatMap(line => byWords(line, editor.columns()))),
      compose,
      clipboard: data => terminal.stdout.write(`\x1b]52;c;${data}\x07`),
      quit: () => {
        isOver = true
      },
      ...(options.only === undefined ? {} : { only: options.only }),
    },
    start.session === undefined ? start.wish : {},
  )
  const close = async (): Promise<void> => {
    process.off('SIGINT', onInterrupt)
    follower.close()
    editor.close()
    await link.close()
  }
  if (!made.ok) {
    await close()
    return complain(terminal, made.fault.message)
  }
  chatContext = made.value
  stop.addEventListener('abort', editor.close, { once: true })
  const stopResizing = editor.onResize(() => {
    sides.resize()
    showFooter()
  })

  const isPicking = options.pick === true
  const enterFirst = async (here: ChatContext): Promise<Result<unknown, Fault>> => {
    if (start.session !== undefined) return takeUp(here, start.session, start.wish)
    screen.lines(
      ink.dim(
        `· ${workspace.home}, ${answerer.isAlone ? 'without a gateway' : 'beside the gateway'}; /help lists what you can do`,
      ),
    )
    return isPicking ? listSessions(here, {}, 'type the number of one') : { ok: true, value: null }
  }
  const entered = await enterFirst(chatContext)
  if (!entered.ok) trouble(entered.fault)
  const prompt = ink.name('> ')
  await type({
    chatContext,
    editor,
    follower,
    screen,
    questions,
    note,
    trouble,
    onBug,
    showFooter,
    compose,
    prompt,
    isPicking,
    isOver: () => isOver,
  })
  stopResizing()
  if (chatContext.isOpen() && !stop.aborted) note(`turnwise chat -s ${chatContext.about().id} goes on here`)
  await close()
  return stop.aborted ? stop.reason : 0
}

const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
