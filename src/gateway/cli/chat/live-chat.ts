import { type Fault, fault } from '../../../model/fault.ts'
import type { Result } from '../../../model/result.ts'
import type { Advisor } from '../../../model/settings/council.ts'
import { byWords } from '../output/by-words.ts'
import { oneLine } from '../output/escape-for-terminal.ts'
import { inkFor, isColourful } from '../output/ink.ts'
import { complain } from '../output/terminal.ts'
import { createFloor } from '../talk/one-voice-at-a-time.ts'
import { createEditor, type Editor } from '../terminal/line-editor/editor.ts'
import { editOutside } from '../terminal/line-editor/external.ts'
import { paintedWhole } from '../terminal/paint/on-terminal.ts'
import { createPainter } from '../terminal/paint/painter.ts'
import { shadeOf } from '../terminal/paint/shade.ts'
import type { ChatStart } from './chat.ts'
import { createDesk, type Desk, takeUp } from './chat-context.ts'
import { COMMANDS } from './commands/commands.ts'
import { completing, namesIn } from './commands/complete.ts'
import { listSessions } from './commands/session-commands.ts'
import { createTally } from './footer.ts'
import { openHistory } from './history.ts'
import { createLink } from './link.ts'
import { createLiveEar } from './live-reader.ts'
import { paperFor } from './paper.ts'
import { createQuestions } from './questions.ts'
import { createScreen } from './screen.ts'
import { createSides } from './sides.ts'
import { type } from './typing.ts'
import { createVoices } from './voices.ts'

/** A chat on a terminal: one types below while others speak above. */
export async function liveChat(start: ChatStart): Promise<number> {
  const { terminal, workspace, reader, answerer, options, stop } = start
  const { environment } = terminal
  const ink = inkFor(terminal.stdout, environment)
  const history = openHistory(workspace.home)
  const editor: Editor = createEditor(terminal, {
    history: history.lines,
    onHistory: history.add,
    complete: completing({
      ...namesIn(reader),
      commands: COMMANDS.map(({ name }) => name),
      advisors: () => advisors().map(({ id }) => id),
    }),
    isBusy: () => ear.isBusy(),
    takesInterrupt: () => link.giveUp(),
  })
  let desk: Desk | undefined
  let isOver = false
  /** In an editor of theirs Ctrl-C is the editor's; from outside it is an order to end. */
  let isAway = false
  const onInterrupt = (): void => {
    if (!isAway) editor.close()
  }
  process.on('SIGINT', onInterrupt)
  const screen = createScreen(editor)
  const note = (line: string): void => screen.between(...byWords(`· ${oneLine(line)}`, editor.columns()).map(ink.dim))
  const trouble = ({ message }: Fault): void =>
    screen.between(...byWords(`! ${oneLine(message)}`, editor.columns()).map(ink.warn))
  const onBug = (cause: unknown): void => trouble(fault('bug', `something went wrong inside Turnwise: ${wordsOf(cause)}`))
  const link = createLink({ workspace, environment, first: answerer, stop, onNews: note, isIdle: () => ear.isQuiet() })
  const own = new Set<string>()
  const isOwn = (key: string | undefined): boolean => key !== undefined && own.has(key)
  const color = isColourful(terminal.stdout, environment)
  const advisors = (): readonly Advisor[] => reader.councils().find(({ key }) => key === desk?.about().council)?.advisors ?? []
  const shade = (name: string): string => shadeOf(advisors().find(advisor => advisor.name === name)?.color)
  const voices = createVoices({ screen, ink, color, shade, note, isOwn })
  const tally = createTally()
  const showFooter = (): void => {
    if (desk !== undefined) editor.footer(ink.dim(tally.line(desk.about(), editor.columns())))
  }
  const questions = createQuestions({
    ...{ editor, ink, note, onBug, approve: options.approve ?? 'ask' },
    answer: async (approval, answer, reason) => {
      const given = await link.act(verbs => verbs.answer(approval, answer, reason))
      if (!given.ok) trouble(given.fault)
    },
  })
  const floor = createFloor({ ...voices, end: () => ({ endings: [] }) }, true)
  const sides = createSides({ screen, rows: () => terminal.stdout.rows ?? 24, color, advisors, others: floor })
  const ear = createLiveEar({
    ...{ link, reader, screen, voices: sides, questions, tally, note, onBug, own },
    looks: { ink, paint: answer => paintedWhole(createPainter({ columns: screen.columns(), color }), answer) },
    onNews: event => {
      if (event.type === 'session.changed') desk?.refresh().then(showFooter).catch(onBug)
      else showFooter()
    },
  })

  const compose = async (text: string): Promise<Result<string, Fault>> => {
    isAway = true
    const written = await editOutside(editor, environment, text)
    isAway = false
    return written
  }

  const made = await createDesk(
    {
      ...{ workspace, reader, ink, note, ear, act: link.act },
      terminal: paperFor(terminal, text => screen.between(...text.replace(/\n$/, '').split('\n'))),
      print: (...lines) => screen.between(...lines.flatMap(line => byWords(line, editor.columns()))),
      compose,
      clipboard: data => terminal.stdout.write(`\x1b]52;c;${data}\x07`),
      quit: () => {
        isOver = true
      },
      ...(options.only === undefined ? {} : { only: options.only }),
    },
    start.wish,
  )
  const close = async (): Promise<void> => {
    process.off('SIGINT', onInterrupt)
    ear.close()
    editor.close()
    await link.close()
  }
  if (!made.ok) {
    await close()
    return complain(terminal, made.fault.message)
  }
  desk = made.value
  stop.addEventListener('abort', editor.close, { once: true })
  const stopResizing = editor.onResize(() => {
    sides.resize()
    showFooter()
  })

  const isPicking = options.pick === true
  const enterFirst = async (here: Desk): Promise<Result<unknown, Fault>> => {
    if (start.session !== undefined) return takeUp(here, start.session, start.wish)
    screen.lines(
      ink.dim(
        `· ${workspace.home}, ${answerer.isAlone ? 'without a gateway' : 'beside the gateway'}; /help lists what you can do`,
      ),
    )
    return isPicking ? listSessions(here, {}, 'type the number of one') : { ok: true, value: null }
  }
  const entered = await enterFirst(desk)
  if (!entered.ok) trouble(entered.fault)
  const prompt = ink.name('> ')
  await type({
    desk,
    editor,
    ear,
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
  if (desk.isOpen() && !stop.aborted) note(`turnwise chat -s ${desk.about().id} goes on here`)
  await close()
  return stop.aborted ? stop.reason : 0
}

const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
