// Slash commands about summaries and what other chats may quote.
import type { Fold } from '../../../../engine.ts'
import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import { foldMade } from '../../memory/make-fold.ts'
import { memoryCommand } from '../../memory/memory.ts'
import { privateWords } from '../../memory/private.ts'
import { countingFolds, foldListed, foldSentence, wordsOfFold } from '../../output/fold-words.ts'
import type { Verbs } from '../../talk/answering-engine.ts'
import type { ChatContext } from '../chat-context.ts'
import { headOf } from '../last-said.ts'
import { type ChatCommand, misused, printed } from './command.ts'

/** The commands that summarize, show and change summaries, and keep a session out of others. */
export const REMEMBER_COMMANDS: readonly ChatCommand[] = [
  {
    name: 'compact',
    takes: '[extract] [advisor]',
    does: 'summarize what was said so far; extract takes literal sentences and asks no model',
    run: compact,
  },
  {
    name: 'folds',
    takes: '[n] [edit | redo | remove]',
    does: 'list the summaries, read one, or change it',
    run: folds,
  },
  { name: 'private', takes: '[on | off]', does: 'say whether other chats may quote this one, or change that', run: secluded },
  {
    name: 'memory',
    does: 'list what is remembered between chats, and what it costs',
    run: chatContext => printed(memoryCommand(chatContext.terminal, {})),
  },
]

const NOTHING_YET = 'nothing was said here yet'

async function compact(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const [, extract, advisor] = /^(extract\b)?\s*@?(\S+)?$/.exec(rest) ?? ['', undefined, '']
  const { id, council } = chatContext.about()
  if (advisor !== undefined && (council === null || advisor === ''))
    return misused(`/compact takes extract or nothing${council === null ? '' : ', and the name of an advisor'}`)
  if (!chatContext.isOpen()) return misused(NOTHING_YET)
  const wish = {
    ...(extract === undefined ? {} : { by: 'extract' as const }),
    ...(advisor === undefined ? {} : { voice: advisor }),
  }
  return made(chatContext, verbs => verbs.fold(id, wish))
}

type Beginning = (verbs: Verbs) => ReturnType<Verbs['fold']>

/**
 * Has a summary made. On a screen the person goes on meanwhile, and its line appears when it is there; without one the next line
 * waits for it.
 */
async function made(chatContext: ChatContext, begin: Beginning): Promise<Result<unknown, Fault>> {
  const { id } = chatContext.about()
  const head = await headOf(chatContext.reader, id)
  if (!head.ok) return head
  const begun = await chatContext.act(begin)
  if (!begun.ok) return begun
  const hasScreen = chatContext.compose !== undefined
  const waiting = chatContext.act(verbs => foldMade(verbs, id, begun.value, head.value, new AbortController().signal))
  if (!hasScreen) {
    const fold = await waiting
    if (fold.ok) chatContext.print(foldSentence(fold.value))
    return fold
  }
  if (begun.value.fold === undefined) chatContext.note('a summary is being made; go on meanwhile')
  waiting
    .then(fold => {
      if (!fold.ok) chatContext.note(fold.fault.message)
    })
    .catch(() => undefined)
  return ok(null)
}

async function folds(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const [, number, action] = /^(\d{1,6})?\s*(edit|redo|remove)?$/.exec(rest) ?? ['', 'x']
  if (number === 'x' || (number === undefined && action !== undefined))
    return misused('/folds takes the number of a summary, and then edit, redo or remove')
  if (!chatContext.isOpen()) return misused(NOTHING_YET)
  const { id } = chatContext.about()
  const listed = await chatContext.act(verbs => verbs.folds(id))
  if (!listed.ok) return listed
  const counting = countingFolds(listed.value)
  if (number === undefined) {
    chatContext.print(...counting.map((fold, index) => `  ${foldListed(fold, index + 1)}`))
    chatContext.note(counting.length === 0 ? 'nothing is summarized yet; /compact does it now' : '/folds <number> reads one')
    return ok(null)
  }
  const fold = counting[Number(number) - 1]
  if (fold === undefined) return misused(`there is no ${number} in the list; it has ${counting.length}`)
  if (action === 'edit') return edit(chatContext, fold)
  if (action === 'redo') return made(chatContext, verbs => verbs.redoFold(id, fold.seq))
  if (action === 'remove') return chatContext.act(verbs => verbs.removeFold(id, fold.seq))
  chatContext.print(foldSentence(fold), '', ...wordsOfFold(fold).join('\n').split('\n'))
  return ok(null)
}

async function edit(chatContext: ChatContext, { seq, text }: Fold): Promise<Result<unknown, Fault>> {
  if (chatContext.compose === undefined) return misused('editing needs a terminal; "turnwise folds <id> edit" takes the words')
  const written = await chatContext.compose(text)
  if (!written.ok) return written
  const words = written.value.trim()
  if (words !== '' && words !== text.trim()) return chatContext.act(verbs => verbs.editFold(chatContext.about().id, seq, words))
  chatContext.note('nothing was changed')
  return ok(null)
}

async function secluded(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  if (rest !== '' && rest !== 'on' && rest !== 'off') return misused('/private takes on, off or nothing')
  const changed = rest === '' ? ok(chatContext.about()) : await chatContext.change({ private: rest === 'on' })
  if (!changed.ok) return changed
  const words = privateWords(changed.value.private === true)
  if (rest === '')
    chatContext.print(
      `${changed.value.private === true ? words : 'Other chats may quote this one, where they look into others.'} /private on | off changes it`,
    )
  else chatContext.note(words)
  return changed
}
