// A chat through a pipe: lines in, answers out.
import { createInterface } from 'node:readline'
import type { Signal } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { complain, printPage, type Terminal } from '../output/terminal.ts'
import type { AnsweringEngine } from '../talk/answering-engine.ts'
import { hearOut } from '../talk/conversation.ts'
import { hearInterrupts } from '../talk/interrupts.ts'
import { pipedLines } from '../terminal/line-editor/lines.ts'
import type { ChatStart } from './chat.ts'
import { type ChatContext, type ChatFollower, createChatContext, takeUp } from './chat-context.ts'
import { enterLine } from './commands/commands.ts'
import { listSessions } from './commands/session-commands.ts'
import { createGatewayLink } from './link.ts'

/** A chat without a screen: reads lines, and prints each answer to its end. Exits with 0 only if every line went well. */
export async function plainChat(start: ChatStart): Promise<number> {
  const { workspace, reader, answerer, options, stop } = start
  const environment = { ...start.terminal.environment, NO_COLOR: '1' }
  const terminal: Terminal = { ...start.terminal, environment }
  const { stdin, stderr } = terminal
  const isPerson = stdin.isTTY === true
  let isOver = false
  let code = 0
  let interruptedAt = Number.NEGATIVE_INFINITY
  const fail = (message: string): void => {
    code = complain(terminal, message)
  }
  const note = (line: string): void => {
    if (stderr.isTTY === true) stderr.write(`· ${escapeToOneLine(line)}\n`)
  }
  const link = createGatewayLink({
    workspace,
    environment,
    first: answerer,
    stop,
    onNews: line => stderr.write(`turnwise: ${line}\n`),
  })

  const heard = async (
    session: SessionId,
    signals: (answerer: AnsweringEngine, abort: AbortSignal) => AsyncIterable<Signal>,
  ): Promise<Result<unknown, Fault>> => {
    await link.check()
    const found = await link.answerer()
    if (!found.ok) return found
    const interrupts = hearInterrupts()
    const ended = await hearOut(terminal, found.value, {
      ...{ session, printing: options.json === true ? { json: true } : {}, stop: AbortSignal.any([interrupts.signal, stop]) },
      signals: abort => signals(found.value, abort),
      ...(options.approve === undefined ? {} : { approve: options.approve }),
    })
    interrupts.stop()
    if (interrupts.signal.aborted) interruptedAt = performance.now()
    // A person at the terminal wanted to stop only this answer. In a script, Ctrl-C stops everything.
    if (interrupts.signal.aborted && !isPerson) isOver = true
    if (ended !== 0 && !(interrupts.signal.aborted && isPerson)) code = ended
    return ok(null)
  }
  const follower: ChatFollower = {
    say: (session, message) => heard(session, (from, abort) => from.say(session, message, abort)),
    resume: (session, after, turn) =>
      heard(session, (from, abort) => from.resume(session, { after, open: [], ...(turn === undefined ? {} : { turn }) }, abort)),
    enter: async () => ok(null),
  }
  // Programs read only signals from stdout.
  const paper: Terminal = options.json === true ? { ...terminal, stdout: stderr } : terminal
  const chatContext = await createChatContext(
    {
      ...{ workspace, reader, note, follower, act: link.act, terminal: paper },
      ink: inkFor(paper.stdout, environment),
      print: (...lines) => printPage(paper, ...lines),
      quit: () => {
        isOver = true
      },
      ...(options.only === undefined ? {} : { only: options.only }),
    },
    start.session === undefined ? start.wish : {},
  )
  if (chatContext.ok) await converse(chatContext.value)
  else fail(chatContext.fault.message)
  await link.close()
  return stop.aborted ? stop.reason : code

  async function converse(here: ChatContext): Promise<void> {
    const entered = start.session === undefined ? ok(null) : await takeUp(here, start.session, start.wish)
    if (!entered.ok) return fail(entered.fault.message)
    const listed = options.pick === true ? await listSessions(here, {}, 'type the number of one') : ok(null)
    if (!listed.ok) return fail(listed.fault.message)
    let isPicking = options.pick === true
    for await (const line of until(
      stop,
      isPerson ? askedLines(terminal, stop, () => interruptedAt) : pipedLines(terminal),
      terminal,
    )) {
      const done = line.ok ? await enterLine(here, isPicking ? `/sessions ${line.value}` : line.value) : line
      isPicking = false
      if (!done.ok) fail(done.fault.message)
      if (isOver) return
    }
  }
}

/**
 * The launcher passes on a Ctrl-C that the terminal has already sent to both processes. Within this time it belongs to the
 * answer it stopped, not to the next line.
 */
const SAME_MS = 1000

/** Reads one line at a time. Between lines the terminal is free for questions about waiting calls. */
async function* askedLines(
  { stdin, stderr }: Terminal,
  stop: AbortSignal,
  interruptedAt: () => number,
): AsyncGenerator<Result<string, Fault>> {
  while (!stop.aborted) {
    const reader = createInterface({ input: stdin, output: stderr, terminal: false })
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const interrupt = (): void => {
      if (performance.now() - interruptedAt() > SAME_MS) resolve(undefined)
    }
    process.on('SIGINT', interrupt)
    reader.on('line', resolve).on('close', () => resolve(undefined))
    stderr.write('> ')
    const line = await promise
    process.off('SIGINT', interrupt)
    reader.close()
    if (line === undefined) return
    if (line.trim() !== '') yield ok(line)
  }
}

/** Yields items until `stop` is aborted. Unread input must not keep the process alive, so stdin is destroyed at the end. */
async function* until<Item>(stop: AbortSignal, items: AsyncGenerator<Item>, { stdin }: Terminal): AsyncGenerator<Item> {
  const { promise: stopped, resolve } = Promise.withResolvers<IteratorResult<Item>>()
  const end = (): void => resolve({ done: true, value: undefined })
  stop.addEventListener('abort', end, { once: true })
  if (stop.aborted) end()
  try {
    while (true) {
      const coming = items.next()
      const next = await Promise.race([coming, stopped])
      coming.catch(() => undefined)
      if (next.done === true) return
      yield next.value
    }
  } finally {
    stop.removeEventListener('abort', end)
    stdin.destroy()
  }
}
