// Reads a growing reply to a screen reader in whole sentences.
import { isInternalVoice } from '../../../src/model/settings/council.ts'
import { shownVoiceName } from '../view/called.ts'
import { spokenWords } from '../view/shown.ts'
import type { ReplyEntry } from '../view/view.ts'
import { announcementOf, endWords } from '../words/words.ts'
import { lastWords, nextSentences, type ReadAloud } from './announce.ts'
import type { Cell } from './cell.ts'
import type { FollowListener } from './follow-session.ts'
import type { State } from './state.ts'

export type ReadAlongNeeds = {
  readonly cell: Cell<State>
  readonly isWanted: () => boolean
  readonly now: () => number
}

/** A person who listens needs time to hear one thing before the next. */
const BETWEEN_MS = 4000
/** How long it takes until a sentence that was not whole is looked at again. */
const LOOK_MS = 500

/** What a screen reader speaks of a reply: whole sentences now and then while it grows, and that it has ended. */
export function createReadAlong({ cell, isWanted, now }: ReadAlongNeeds): FollowListener {
  const heard = new Map<string, ReadAloud>()
  let last = Number.NEGATIVE_INFINITY

  return {
    delta: ({ turn, kind }) => {
      const { view } = cell.get()
      // A listener cannot follow several voices at once, so only the end of each is announced.
      if (kind !== 'text' || !isWanted() || view.running.length !== 1 || now() - last < BETWEEN_MS) return
      const next = nextSentences(textOf(cell.get(), turn), heard.get(turn) ?? { upTo: 0 })
      last = next === null ? now() - BETWEEN_MS + LOOK_MS : now()
      if (next === null) return
      heard.set(turn, next)
      cell.set({ announcement: next.said })
    },
    turnEnded: (_session, { turn, voice }, isLive) => {
      // A title is seen in the list, a fold where it happened; neither is an answer.
      if (!isLive || isInternalVoice(voice)) return
      const before = heard.get(turn)
      heard.delete(turn)
      const state = cell.get()
      if (before === undefined) return cell.set({ announcement: announcementOf(state, turn) })
      const entry = state.view.entries.findLast(each => each.kind === 'reply' && each.turn === turn)
      const reply = entry?.kind === 'reply' ? entry : undefined
      const end = reply?.end == null || reply.end === 'continued' ? null : endWords(reply.end)
      const over = end === null ? `${reply === undefined ? 'The reply' : shownVoiceName(state, reply)} has finished.` : `${end}.`
      cell.set({ announcement: `${lastWords(textOf(state, turn), before)} ${over}`.trim() })
    },
    opened: () => heard.clear(),
  }
}

const textOf = ({ view }: State, turn: string): string =>
  view.entries
    .filter((entry): entry is ReplyEntry => entry.kind === 'reply' && entry.turn === turn)
    .flatMap(entry => spokenWords(entry.steps))
    .join('\n')
