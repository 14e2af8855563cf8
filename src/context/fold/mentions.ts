/** Collects what a stretch mentions: each name, number, date, id and address once, with where and how often. */
import type { FoldMessage } from './fold-messages.ts'
import { type NameSign, nameWriting, possibleNames } from './names-in.ts'
import { type NotableKind, notablesIn } from './notable.ts'
import { piecesOf, type Steps } from './steps.ts'

/** Something that is mentioned in a stretch. */
export type Mention = {
  readonly literal: string
  readonly kind: NotableKind
  /** The text in which it is first mentioned, and where; in what was said rather than in files and results. */
  readonly source: string
  readonly from: number
  /** It is mentioned again after the stretch. */
  readonly isUsed: boolean
}

type Counted = { -readonly [Key in keyof Mention]: Mention[Key] } & {
  isSaid: boolean
  readonly place: number
  many: number
  sure: number
  nouns: number
  common: number
}

type Found = {
  readonly literal: string
  readonly kind: NotableKind
  readonly source: string
  readonly from: number
  readonly isSaid: boolean
  readonly sign: NameSign
}

/** So many of those that are not used again are enough for any list. */
const MOST_UNUSED = 2000

/**
 * What a stretch mentions: first what is mentioned again later, then what is mentioned most often, then by place; numbers of one or
 * two digits last. Names of the speakers are not among it.
 */
export function* mentionsIn(stretch: readonly FoldMessage[], later: readonly FoldMessage[]): Steps<readonly Mention[]> {
  const speakers = new Set([...stretch, ...later].flatMap(({ speaker }) => [keyOf(speaker), ...keyOf(speaker).split(' ')]))
  const mentions = new Map<string, Counted>()
  for (const message of stretch) {
    for (const found of foundIn(message)) {
      if (found === undefined) yield
      else count(mentions, found, speakers)
    }
  }
  for (const message of later) {
    for (const found of foundIn(message)) {
      if (found === undefined) yield
      else use(mentions.get(keyOf(found.literal)))
    }
  }
  const known = [...mentions.values()].filter(isNoCommonNoun)
  yield
  const { used = [], often = [], once = [], short = [] } = Object.groupBy(known, groupOf)
  yield
  // What is mentioned once is in its order already.
  const unused = [...often.sort(byCount), ...once, ...short.sort(byCount)]
  return [...used.sort(byCount), ...unused.slice(0, MOST_UNUSED).map(mention => ({ ...mention, isUsed: false }))]
}

function use(mention: Counted | undefined): void {
  if (mention !== undefined) mention.isUsed = true
}

/** What a message mentions, and undefined after each step: all of its words, and its material without names. */
function* foundIn({ words, material }: FoldMessage): Generator<Found | undefined, void, undefined> {
  const writing = nameWriting(words)
  for (const { text, at } of piecesOf(words)) {
    const literalOf = (from: number, to: number) => ({
      literal: text.slice(from, to),
      source: words,
      from: at + from,
      isSaid: true,
    })
    for (const { kind, from, to } of notablesIn(text)) yield { ...literalOf(from, to), kind, sign: 'sure' }
    for (const { from, to, sign } of possibleNames(text, writing)) yield { ...literalOf(from, to), kind: 'name', sign }
    yield undefined
  }
  for (const { text: whole } of material) {
    for (const { text, at } of piecesOf(whole)) {
      // The keys of records are not what they tell.
      for (const { kind, from, to } of notablesIn(text))
        if (!KEY_END.test(text.slice(to, to + 4)))
          yield { literal: text.slice(from, to), source: whole, from: at + from, isSaid: false, kind, sign: 'sure' }
      yield undefined
    }
  }
}

const KEY_END = /^" ?:/

function count(mentions: Map<string, Counted>, { sign, ...found }: Found, speakers: ReadonlySet<string>): void {
  const key = keyOf(found.literal)
  if (found.kind === 'name' && (speakers.has(key) || key.split(' ').some(word => speakers.has(word)))) return
  let mention = mentions.get(key)
  if (mention === undefined) {
    mention = { ...found, isUsed: false, place: mentions.size, many: 0, sure: 0, nouns: 0, common: 0 }
    mentions.set(key, mention)
  } else if (found.isSaid && !mention.isSaid) Object.assign(mention, found)
  mention.many += 1
  if (sign === 'sure') mention.sure += 1
  else if (sign === 'noun') mention.nouns += 1
  else if (sign === 'common') mention.common += 1
}

/** A word that is written like a noun is taken for a name if it comes again and never has an article. */
const isNoCommonNoun = ({ kind, sure, nouns, common }: Counted): boolean =>
  kind !== 'name' || sure > 0 || (nouns >= 2 && common === 0)

/** So short a number says little, and is often the same by chance. */
const SHORT_NUMBER = /^\d{1,2}$/

function groupOf({ isUsed, kind, literal, many }: Counted): 'used' | 'often' | 'once' | 'short' {
  if (kind === 'number' && SHORT_NUMBER.test(literal)) return 'short'
  if (isUsed) return 'used'
  return many > 1 ? 'often' : 'once'
}

const byCount = (a: Counted, b: Counted): number => b.many - a.many || a.place - b.place

const keyOf = (literal: string): string => literal.normalize('NFKC').toLowerCase()
