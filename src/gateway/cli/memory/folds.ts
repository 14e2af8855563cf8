/** The folds command: lists the summaries of a session, makes one, or changes one. */
import type { Engine, Fold, FoldBegun, FoldWish, Session } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { headOf } from '../chat/last-said.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { countingFolds, foldListed, foldSentence, wordsOfFold } from '../output/fold-words.ts'
import { inkFor } from '../output/ink.ts'
import { complain, MISUSED, print, printPage, type Terminal, tellOfWaiting } from '../output/terminal.ts'
import { findSession } from '../sessions/find-session.ts'
import { readingIn } from '../sessions/reading.ts'
import { findAnsweringEngine, type Verbs } from '../talk/answering-engine.ts'
import { hearInterrupts } from '../talk/interrupts.ts'
import { textToSay } from '../talk/stdin.ts'
import { foldMade } from './make-fold.ts'

export type FoldsOptions = {
  /** In a list: with their words. With `edit`: the new words. */
  readonly text?: string | true
  readonly from?: number
  readonly to?: number
  readonly extract?: boolean
  readonly model?: string
  readonly voice?: string
  readonly json?: boolean
}

const ACTIONS = ['add', 'edit', 'redo', 'remove'] as const
type FoldAction = (typeof ACTIONS)[number]

/** Lists the summaries of a session, or does something with one of them. */
export async function foldsCommand(
  terminal: Terminal,
  wanted: string,
  action: string | undefined,
  seq: number | undefined,
  options: FoldsOptions,
): Promise<number> {
  const known = ACTIONS.find(each => each === action)
  if (action !== undefined && known === undefined)
    return complain(terminal, `"${action}" is nothing to do with a summary; known: ${ACTIONS.join(', ')}`, MISUSED)
  const misuse = misuseOf(known, seq, options)
  if (misuse !== undefined) return complain(terminal, misuse, MISUSED)
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  return readingIn(terminal, workspace.value, async engine => {
    const session = await findSession(engine, wanted)
    if (!session.ok) return complain(terminal, session.fault.message)
    if (known === undefined) return list(terminal, engine, session.value, options)
    const words = known === 'edit' ? await newWords(terminal, options) : ok('')
    if (!words.ok) return complain(terminal, words.fault.message, MISUSED)
    const interrupts = hearInterrupts()
    const writer = await findAnsweringEngine(workspace.value, terminal.environment, interrupts.signal, () =>
      tellOfWaiting(terminal),
    )
    if (!writer.ok) return complain(terminal, writer.fault.message)
    try {
      const head = await headOf(engine, session.value.id)
      if (!head.ok) return complain(terminal, head.fault.message)
      const deed = { id: session.value.id, seq: seq ?? 0, words: words.value, wish: wishOf(options) }
      const done = await perform(writer.value.verbs, known, deed, head.value, interrupts.signal)
      if (!done.ok) return complain(terminal, done.fault.message)
      report(terminal, known, done.value, options)
      return 0
    } finally {
      interrupts.stop()
      await writer.value.close()
    }
  })
}

async function list(terminal: Terminal, engine: Engine, { id }: Session, { text, json }: FoldsOptions): Promise<number> {
  const all = await engine.folds(id)
  if (!all.ok) return complain(terminal, all.fault.message)
  const counting = countingFolds(all.value)
  if (json === true) print(terminal, jsonForTerminal({ items: all.value }))
  else if (counting.length === 0)
    print(terminal, 'Nothing is summarized in this session. "turnwise folds <id> add" summarizes now.')
  else {
    const ink = inkFor(terminal.stdout, terminal.environment)
    for (const [index, fold] of counting.entries()) {
      printPage(terminal, text === undefined ? foldListed(fold, index + 1) : ink.bold(foldListed(fold, index + 1)))
      if (text !== undefined) printPage(terminal, ...wordsOfFold(fold), '')
    }
  }
  return 0
}

type FoldDeed = { readonly id: Session['id']; readonly seq: number; readonly words: string; readonly wish: FoldWish }

/** What was done; null where nothing is left to show. */
async function perform(
  verbs: Verbs,
  action: FoldAction,
  { id, seq, words, wish }: FoldDeed,
  after: number,
  abort: AbortSignal,
): Promise<Result<Fold | null, Fault>> {
  if (action === 'edit') return verbs.editFold(id, seq, words)
  if (action === 'remove') return verbs.removeFold(id, seq)
  const { by, model } = wish
  const again = { ...(by === undefined ? {} : { by }), ...(model === undefined ? {} : { model }) }
  const begun: Result<FoldBegun, Fault> = await (action === 'add' ? verbs.fold(id, wish) : verbs.redoFold(id, seq, again))
  return begun.ok ? foldMade(verbs, id, begun.value, after, abort) : begun
}

function report(terminal: Terminal, action: FoldAction, fold: Fold | null, { json }: FoldsOptions): void {
  if (json === true) print(terminal, jsonForTerminal(fold === null ? { removed: true } : fold))
  else if (fold === null) print(terminal, 'Removed. The messages it stood for are kept.')
  else printPage(terminal, foldSentence(fold), ...(action === 'edit' ? [] : ['', ...wordsOfFold(fold)]))
}

/** The words after `--text`, or what is piped in. */
async function newWords(terminal: Terminal, { text }: FoldsOptions): Promise<Result<string, Fault>> {
  const words = typeof text === 'string' ? text : await textToSay(terminal, [])
  return words.trim() === '' ? err(fault('invalid', 'give the new words with --text "…", or pipe them in')) : ok(words)
}

const wishOf = ({ from, to, extract, model, voice }: FoldsOptions): FoldWish => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
  ...(extract === true ? { by: 'extract' as const } : {}),
  ...(model === undefined ? {} : { model }),
  ...(voice === undefined ? {} : { voice }),
})

/** The complaint about options and words that do not go together. */
function misuseOf(action: FoldAction | undefined, seq: number | undefined, options: FoldsOptions): string | undefined {
  const { from, to, extract, model, voice, text } = options
  const isOfOne = action === 'edit' || action === 'redo' || action === 'remove'
  if (isOfOne && seq === undefined) return `say which summary by its seq, as in "${action} 120"; "turnwise folds <id>" lists them`
  if (action === 'add' && seq !== undefined) return '"add" takes no seq; --from and --to say what to summarize'
  if (action !== 'add' && (from !== undefined || to !== undefined || voice !== undefined))
    return '--from, --to and --voice belong to "add"'
  if (action !== 'add' && action !== 'redo' && (extract === true || model !== undefined))
    return '--extract and --model belong to "add" and "redo"'
  if (text !== undefined && action !== undefined && action !== 'edit') return '--text belongs to the list and to "edit"'
  if (typeof text === 'string' && action === undefined) return '--text takes no words in a list; "edit <seq> --text" changes one'
  return undefined
}
