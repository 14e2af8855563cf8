// Builds the facts of a session from another program's messages.
import { UNKNOWN_EFFECTS } from '../../context/stages/sanitize.ts'
import { weigh } from '../../context/text/tokens.ts'
import type { Attachment, Fact, Part } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import type { SynthesisMode } from '../../model/settings/council.ts'
import type { ArchiveItem, FoundSession } from '../input/found.ts'
import { badAt, type FilePosition } from '../input/place.ts'
import type { RemarkCounter } from '../input/remarks.ts'
import type { ForeignVoice } from './voices.ts'

/** Something that a voice said in another program. A call may come with its result. */
export type ForeignPart =
  | { readonly type: 'text' | 'think'; readonly text: string; readonly at?: string | undefined }
  | ForeignCall

export type ForeignCall = {
  readonly type: 'call'
  readonly tool: string
  readonly args: unknown
  readonly raw?: string
  /** The id of the call in the file. */
  readonly key?: string | undefined
  readonly at?: string | undefined
  result?: { ok: boolean; text: string } | undefined
}

/** A whole turn of another program. */
export type ForeignTurn = {
  readonly by: ForeignVoice
  readonly parts: readonly ForeignPart[]
  readonly at?: string | undefined
  /** Why the turn did not end well, if it did not. */
  readonly trouble?: { readonly reason: 'failed' | 'interrupted'; readonly fault: Fault }
  readonly mode?: SynthesisMode
}

/** What every reader needs. */
export type FactsBuilderNeeds = {
  readonly now: number
  readonly remarks: RemarkCounter
  readonly turnId: () => TurnId
}

/** Writes a session of another program as facts of our own. The result is no different from a session that took place here. */
export type FactsBuilder = {
  readonly hear: (text: string, at: string | undefined, files?: readonly Attachment[]) => void
  /** Adds to the open turn, or begins one if none is open. */
  readonly goOn: (by: ForeignVoice, parts: readonly ForeignPart[]) => void
  /** The open turn, if there is one. */
  readonly open: () => { readonly parts: readonly ForeignPart[] } | undefined
  /** Ends the open turn, if there is one. */
  readonly close: () => void
  /** Adds turns that answer the same message side by side. */
  readonly answer: (answers: readonly ForeignTurn[]) => void
  /** Gives every item since the last call. The open turn stays open. */
  readonly finished: () => readonly ArchiveItem[]
  /** Gives all remaining items, or none at all if the session has no messages. */
  readonly end: () => readonly ArchiveItem[]
}

/** The most characters of one message or reply. A longer one could not be exported and imported again. */
const MOST_CHARACTERS = 8 << 20
/** A turn with more parts than this is split into several turns. */
const MOST_HELD = 2000

export function createFactsBuilder(
  session: FoundSession,
  { remarks, turnId }: FactsBuilderNeeds,
  place: FilePosition,
): FactsBuilder {
  let found: ArchiveItem[] = []
  let seq = 0
  let heard = 0
  let calls = 0
  let clock = session.createdAt
  let open: { readonly by: ForeignVoice; readonly parts: ForeignPart[]; held: number } | undefined

  const write = (fact: Fact, at: string): void => {
    if (seq === 0) found.push({ type: 'session', session })
    seq += 1
    found.push({ type: 'fact', fact, at, ...weigh(fact) })
  }
  const timeAt = (at: string | undefined): string => {
    if (at !== undefined) clock = at
    return clock
  }
  const bounded = (characters: number): void => {
    if (characters > MOST_CHARACTERS) throw badAt(place, `is longer than ${MOST_CHARACTERS >> 20} million characters`)
  }

  const hear: FactsBuilder['hear'] = (text, at, files = []) => {
    close()
    const words = text.toWellFormed()
    if (words.trim() === '' && files.length === 0) return remarks.count('empty')
    bounded(files.reduce((sum, file) => sum + (file.type === 'text' ? file.text.length : 0), words.length))
    const parts = files.length === 0 ? {} : { parts: files }
    write({ type: 'message.received', text: words, ...parts, from: 'person' }, timeAt(at))
    heard = seq
  }

  /** Calls end a reply: what the voice says after the results is a step of its own. */
  const steps = (turn: TurnId, parts: readonly ForeignPart[], trouble: ForeignTurn['trouble']): void => {
    let step = 0
    let said: Part[] = []
    let asked: (ForeignCall & { readonly call: string })[] = []
    let characters = 0
    const finish = (isLast: boolean): void => {
      if (said.length === 0) return
      step += 1
      bounded(characters)
      characters = 0
      const reply = { turn, step, parts: said }
      if (isLast && trouble !== undefined) write({ type: 'reply.broken', ...reply, fault: trouble.fault }, clock)
      else write({ type: 'reply.finished', ...reply }, clock)
      for (const { call, tool, args } of asked) write({ type: 'tool.started', turn, call, tool, args }, clock)
      for (const { call, tool, result } of asked) write(settled(turn, call, tool, result), clock)
      said = []
      asked = []
    }
    for (const part of parts) {
      if (part.type !== 'call' && asked.length > 0) finish(false)
      timeAt(part.at)
      if (part.type === 'call') {
        calls += 1
        const call = `call_${calls}`
        asked.push({ ...part, call })
        said.push({ type: 'call', call, tool: part.tool, args: part.args, ...(part.raw === undefined ? {} : { raw: part.raw }) })
        characters += (part.raw ?? JSON.stringify(part.args) ?? '').length
        bounded(part.result?.text.length ?? 0)
        if (part.result === undefined) remarks.count('unanswered')
      } else {
        const text = part.text.toWellFormed()
        const last = said.at(-1)
        characters += text.length
        if (last?.type === part.type && part.type === 'think')
          said[said.length - 1] = { ...last, text: `${last.text}\n\n${text}` }
        else said.push({ type: part.type, text })
      }
    }
    finish(true)
  }

  const answer: FactsBuilder['answer'] = answers => {
    close()
    const begun = answers.flatMap(each => {
      const parts = each.parts.filter(part => part.type === 'call' || part.text.trim() !== '')
      if (parts.length > 0 || each.trouble !== undefined) return [{ ...each, parts, turn: turnId() }]
      remarks.count('empty')
      return []
    })
    const cause = heard
    for (const { turn, by, at, mode, parts } of begun) {
      const asked = mode === undefined ? {} : { mode }
      write({ type: 'turn.started', turn, voice: by.id, cause, name: by.name, ...asked }, timeAt(parts[0]?.at ?? at))
    }
    for (const { turn, by, parts, trouble } of begun) {
      steps(turn, parts, trouble)
      const how = trouble === undefined ? ({ reason: 'done' } as const) : trouble
      write({ type: 'turn.ended', turn, voice: by.id, ...how }, clock)
    }
  }

  function close(): void {
    if (open === undefined) return
    const { by, parts } = open
    open = undefined
    answer([{ by, parts }])
  }

  const finished: FactsBuilder['finished'] = () => {
    const all = found
    found = []
    return all
  }

  return {
    hear,
    goOn: (by, parts) => {
      if (open !== undefined && (open.by.id !== by.id || open.held > MOST_HELD)) close()
      open ??= { by, parts: [], held: 0 }
      open.parts.push(...parts)
      // A long part counts as many, so that the parts of an open turn take little memory.
      for (const part of parts) open.held += 1 + Math.floor((part.type === 'call' ? 0 : part.text.length) / 4096)
    },
    open: () => open,
    close,
    answer,
    finished,
    end: () => {
      close()
      if (seq === 0) remarks.count('silent')
      return finished()
    },
  }
}

const settled = (turn: TurnId, call: string, tool: string, result: ForeignCall['result']): Fact => {
  if (result === undefined) return { type: 'tool.settled', turn, call, tool, ok: false, outcome: UNKNOWN_EFFECTS, ms: 0 }
  const text = result.text.toWellFormed()
  const isShort = text.trim() !== '' && text.length <= 200 && !text.includes('\n')
  const outcome = isShort ? text : result.ok ? 'done' : 'failed'
  const content = isShort || text.trim() === '' ? {} : { content: text }
  return { type: 'tool.settled', turn, call, tool, ok: result.ok, outcome, ...content, ms: 0 }
}
