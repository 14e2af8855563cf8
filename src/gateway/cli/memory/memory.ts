/** The memory command: what is remembered between chats, where chats may look, and how to forget something. */
import type { Engine, MemoryItem } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { RECALL_FROM, type RecallFrom } from '../../../model/recall.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { type Ink, inkFor } from '../output/ink.ts'
import { counted, fitted } from '../output/phrase.ts'
import { complain, MISUSED, print, printPage, type Terminal, tellOfWaiting } from '../output/terminal.ts'
import { findSession } from '../sessions/find-session.ts'
import { readingIn } from '../sessions/reading.ts'
import { findAnsweringEngine, type Verbs } from '../talk/answering-engine.ts'
import { hearInterrupts } from '../talk/interrupts.ts'

type Printing = { readonly json?: boolean }

const PAGE = 200
const MOST_SHOWN = 72

export const FROM_WORDS: Readonly<Record<RecallFrom, string>> = {
  session: 'each chat looks only into itself',
  project: 'chats also look into the other chats of their project',
  everywhere: 'chats also look into all other chats',
}

/** Lists everything that is remembered beyond one window, with its price, and the switches. */
export function memoryCommand(terminal: Terminal, { json }: Printing): Promise<number> {
  return inWorkspace(terminal, workspace =>
    readingIn(terminal, workspace, async engine => {
      const items = await everything(engine)
      if (!items.ok) return complain(terminal, items.fault.message)
      const from = workspace.memory.now()
      const projects = await Promise.all(
        (await engine.projects()).map(async name => {
          const recalls = await workspace.projects.recalls(name)
          return { name, recall: recalls.ok && recalls.value }
        }),
      )
      const tokens = items.value.reduce((sum, item) => sum + item.tokens, 0)
      if (json === true) print(terminal, jsonForTerminal({ from, projects, items: items.value, tokens }))
      else {
        const ink = inkFor(terminal.stdout, terminal.environment)
        const on = projects.filter(({ recall }) => recall).map(({ name }) => name)
        printPage(
          terminal,
          `memory.from is ${from}: ${FROM_WORDS[from]}`,
          ...(on.length === 0 ? [] : [`Projects whose chats quote each other: ${on.map(escapeToOneLine).join(', ')}`]),
          '',
          ...items.value.map(item => memoryLine(item, ink)),
          ink.dim(
            items.value.length === 0
              ? '  nothing is pinned or summarized'
              : `  ${counted(tokens, 'token')} in all; "turnwise memory forget <session> <seq>" forgets one`,
          ),
        )
      }
      return 0
    }),
  )
}

/** Says where every chat may look. A running gateway reads the file again with the next turn. */
export function memoryFromCommand(terminal: Terminal, wanted: string, { json }: Printing): Promise<number> {
  const from = RECALL_FROM.find(each => each === wanted)
  if (from === undefined) return Promise.resolve(complain(terminal, `"${wanted}" is none of ${RECALL_FROM.join(', ')}`, MISUSED))
  return inWorkspace(terminal, async workspace => {
    const written = await workspace.memory.write(from)
    if (!written.ok) return complain(terminal, written.fault.message)
    if (json === true) print(terminal, jsonForTerminal({ from }))
    else print(terminal, `memory.from is ${from}: ${FROM_WORDS[from]}, from the next turn on.`)
    return 0
  })
}

/** Lets the chats of a project quote each other, or not. */
export function memoryProjectCommand(terminal: Terminal, name: string, wanted: string, { json }: Printing): Promise<number> {
  if (wanted !== 'on' && wanted !== 'off')
    return Promise.resolve(complain(terminal, `"${wanted}" is neither on nor off`, MISUSED))
  return inWorkspace(terminal, async workspace => {
    const set = await workspace.projects.setRecall(name, wanted === 'on')
    if (!set.ok) return complain(terminal, set.fault.message)
    const { recall } = set.value
    if (json === true) print(terminal, jsonForTerminal({ name, recall }))
    else
      print(
        terminal,
        `The chats of ${escapeToOneLine(name)} ${recall ? 'quote' : 'do not quote'} each other from the next turn on.`,
      )
    return 0
  })
}

/** Takes a pin off a message, or removes a summary. What was said is kept. */
export function memoryForgetCommand(terminal: Terminal, wanted: string, seq: number, { json }: Printing): Promise<number> {
  return inWorkspace(terminal, workspace =>
    readingIn(terminal, workspace, async engine => {
      const session = await findSession(engine, wanted)
      if (!session.ok) return complain(terminal, session.fault.message)
      const { id } = session.value
      const kind = await kindAt(engine, id, seq)
      if (!kind.ok) return complain(terminal, kind.fault.message)
      const interrupts = hearInterrupts()
      try {
        const writer = await findAnsweringEngine(workspace, terminal.environment, interrupts.signal, () =>
          tellOfWaiting(terminal),
        )
        if (!writer.ok) return complain(terminal, writer.fault.message)
        const forgotten = await forget(writer.value.verbs, kind.value, id, seq)
        await writer.value.close()
        if (!forgotten.ok) return complain(terminal, forgotten.fault.message)
      } finally {
        interrupts.stop()
      }
      if (json === true) print(terminal, jsonForTerminal({ forgotten: { session: id, seq, kind: kind.value } }))
      else
        print(
          terminal,
          kind.value === 'pin' ? `seq ${seq} is no longer pinned.` : 'The summary is removed; its messages are kept.',
        )
      return 0
    }),
  )
}

const forget = (verbs: Verbs, kind: MemoryItem['kind'], id: MemoryItem['session'], seq: number): Promise<Result<null, Fault>> =>
  kind === 'fold' ? verbs.removeFold(id, seq) : verbs.mark(id, seq, null)

/** Whether a pin or a fold is remembered at this place. */
async function kindAt(engine: Engine, id: MemoryItem['session'], seq: number): Promise<Result<MemoryItem['kind'], Fault>> {
  const folds = await engine.folds(id)
  if (!folds.ok) return folds
  if (folds.value.some(fold => fold.seq === seq && fold.counts)) return ok('fold')
  const marks = await engine.read(id, { only: 'message.marked' })
  if (!marks.ok) return marks
  const mark = marks.value.findLast(event => event.type === 'message.marked' && event.target === seq)
  if (mark?.type === 'message.marked' && mark.mark === 'pin') return ok('pin')
  return err(fault('not-found', `nothing is remembered at seq ${seq} of that session; "turnwise memory" lists what is`))
}

async function everything(engine: Engine): Promise<Result<readonly MemoryItem[], Fault>> {
  const items: MemoryItem[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await engine.memory({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    if (!page.ok) return page
    items.push(...page.value.items)
    cursor = page.value.next
  }
  return ok(items)
}

const REACH_WORDS: Readonly<Record<RecallFrom, string>> = {
  session: 'in its chat',
  project: 'in its project',
  everywhere: 'in every chat',
}

function memoryLine(item: MemoryItem, ink: Ink): string {
  const what =
    item.kind === 'pin'
      ? `pinned ${REACH_WORDS[item.reach]}, seq ${item.seq}`
      : `summary of messages ${item.from}–${item.to}, seq ${item.seq}`
  const chat = escapeToOneLine(item.title ?? '') || '(empty)'
  return [
    `${ink.name(item.session)}  ${fitted(chat, MOST_SHOWN)}`,
    ink.dim(`  ${what}, ${counted(item.tokens, 'token')}`),
    `  ${fitted(escapeToOneLine(item.text), MOST_SHOWN)}`,
    '',
  ].join('\n')
}

async function inWorkspace(terminal: Terminal, use: (workspace: Workspace) => Promise<number>): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  return workspace.ok ? use(workspace.value) : complain(terminal, workspace.fault.message)
}
