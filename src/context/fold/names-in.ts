/** Finds names in a text by how they are written: capitals where a language has them for names only, quotes and titles elsewhere. */
import { languages } from '../recall/language/languages/all.ts'
import type { LanguageCode } from '../recall/language/languages/language.ts'
import { languagesIn } from '../recall/language/terms.ts'
import { MONTH_WORDS, plainWord, WEEKDAY_WORDS } from './same-value.ts'

/**
 * How sure it is that words are a name: `sure` by themselves; `start` at the beginning of a sentence, where every word has a capital;
 * `noun` in a language whose nouns have one, too; `common` is a noun with an article before it, and no name.
 */
export type NameSign = 'sure' | 'start' | 'noun' | 'common'

/** Words that may be a name, by their place. */
export type PossibleName = { readonly from: number; readonly to: number; readonly sign: NameSign }

/** How a text writes names. */
export type NameWriting = 'capitals' | 'nouns' | 'unspaced'

const UNSPACED_LANGUAGES: readonly LanguageCode[] = ['ja', 'zh']

/** How much of a text tells its language. */
const SAMPLE = 4000

export function nameWriting(text: string): NameWriting {
  const { likely } = languagesIn(text.slice(0, SAMPLE))
  if (likely.length > 0 && likely.every(({ code }) => UNSPACED_LANGUAGES.includes(code))) return 'unspaced'
  return likely.some(({ code }) => code === 'de') ? 'nouns' : 'capitals'
}

const WORD = "\\p{Lu}[\\p{L}\\p{M}\\p{N}'’-]*"
const PARTICLE = '(?:de|van|von|der|den|da|del|della|di|la|le|of|du|dos|das|bin|ibn|al|y|&)'
/** Dots that end no sentence. */
const SHORT_DOT = '(?:(?<=(?<!\\p{L})(?:\\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St))\\.)?'
const capitalized = (particles: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_@#/.])${WORD}(?:${SHORT_DOT} ${particles}${WORD}){0,4}`, 'gu')
const CAPITALS: Readonly<Record<'capitals' | 'nouns', RegExp>> = {
  capitals: capitalized(`(?:${PARTICLE} ){0,2}`),
  // Between nouns such a word is an article or a preposition.
  nouns: capitalized(''),
}
const LATIN_NAME = /(?<![A-Za-z0-9_@#/.])[A-Z][A-Za-z0-9'’-]+(?: [A-Z][A-Za-z0-9'’-]*){0,3}/g
/** Names in quotes, as they are written in Japanese and Chinese. */
const QUOTED = /[「『《〈“]([^「」『』《》〈〉“”\n]{1,24})[」』》〉”]/gu
/** A few characters of a name before a title. */
const TITLED =
  /([\p{sc=Han}\p{sc=Kana}ー々]{1,6}?)(?=さん|さま|様|氏|君|ちゃん|先生|社長|部長|女士|小姐|老师|老師|经理|經理|总监|總監)/gu
/** People without a name who have a title all the same. */
const TITLED_NOUNS: ReadonlySet<string> = new Set(
  '赤 皆 客 お客 母 父 兄 姉 奥 娘 息子 医者 店員 大家 神 隣 業者 相手 の 子'.split(' '),
)
/** What may be before the first word of a sentence. */
const BEFORE_SENTENCE =
  /(?:^|[.!?…:。！？\n][\s"'“”„«(*_>\]#¡¿-]*|^[\s"'“”„«(*_>#•¡¿\d.)-]*|\n[\s"'“”„«(*_>#•¡¿\d.)-]*|[–—•|¡¿]\s*)$/u
/** A noun behind one of these is no name. */
const DETERMINERS: ReadonlySet<string> = new Set(
  `der die das den dem des ein eine einer eines einem einen kein keine keiner keines keinem keinen dieser diese dieses diesem diesen
  jeder jede jedes jedem jeden alle aller allen mein meine meiner meines meinem meinen dein deine deiner deines deinem deinen sein seine
  seiner seines seinem seinen ihr ihre ihrer ihres ihrem ihren unser unsere unserer unseres unserem unseren euer eure eurer im am zum zur
  beim vom ins ans viel viele vieler mehr wenig wenige einige etwas welche welcher welches welchen zwei drei vier fünf sechs sieben acht
  neun zehn pro ohne beide beiden`.split(/\s+/),
)
const NOUN_ENDING =
  /(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|nis|nisse|chen|lein|ismus|ment|mente|ling|linge|tum|tümer|zeug|zeit|tag|tage|tagen)$/u

const stopWords: ReadonlySet<string> = new Set(languages.flatMap(language => [...language.stopWords]))

/** A word that says nothing by itself in some language, or a day or month: never a name alone. */
export function isOrdinaryWord(word: string): boolean {
  const plain = plainWord(word).replace(/['’](?:s|t|d|ll|re|ve|m)?$/, '')
  return stopWords.has(plain) || MONTH_WORDS.has(plain) || WEEKDAY_WORDS.has(plain)
}

/** What may be a name in a text that is written so. */
export function possibleNames(text: string, writing: NameWriting): readonly PossibleName[] {
  if (writing === 'unspaced') return unspacedNames(text)
  const found: PossibleName[] = []
  for (const { 0: run, index } of text.matchAll(CAPITALS[writing])) {
    const own = withoutOrdinaryEnds(run, index)
    if (own === undefined) continue
    const isStart = own.from === index && beginsSentence(text, index)
    const isOne = !text.slice(own.from, own.to).includes(' ')
    if (isOne && own.to - own.from < 2) continue
    found.push({ ...own, sign: signOf(text, own, { isStart, isOne, writing }) })
  }
  return found
}

/** Whether a word has its capital because a sentence begins with it. */
export const beginsSentence = (text: string, at: number): boolean => BEFORE_SENTENCE.test(text.slice(Math.max(0, at - 24), at))

type Place = { readonly from: number; readonly to: number }

function signOf(
  text: string,
  { from, to }: Place,
  { isStart, isOne, writing }: { readonly isStart: boolean; readonly isOne: boolean; readonly writing: NameWriting },
): NameSign {
  const words = text.slice(from, to)
  if (writing === 'capitals') return isStart && isOne ? 'start' : 'sure'
  if (isStart) return 'start'
  if (!isOne) return 'sure'
  const before = /([\p{L}\p{M}]+)\s+$/u.exec(text.slice(Math.max(0, from - 24), from))?.[1]?.toLowerCase()
  if (before === undefined || !BEFORE_NAMES.has(before)) return isCommonNoun(words, before) ? 'common' : 'start'
  return NOUN_ENDING.test(words) ? 'common' : 'noun'
}

/** Words before which a noun without an article is often a name. */
const BEFORE_NAMES: ReadonlySet<string> = new Set(
  'mit bei von nach an für und oder aus in über gegen wie als durch um seit bis zu zwischen wegen statt außer laut per'.split(
    ' ',
  ),
)

const isCommonNoun = (words: string, before: string | undefined): boolean =>
  NOUN_ENDING.test(words) || (before !== undefined && (DETERMINERS.has(before) || ADJECTIVE.test(before)))

/** Most words with these endings before a noun are adjectives; prepositions and verbs seldom have them. */
const ADJECTIVE = /^\p{L}{3,}(?:e|er|es|em|en)$/u

/** A run of capitalized words without those at its ends that have a capital only by their place: "The Grand Hotel", "Then Anna". */
function withoutOrdinaryEnds(run: string, at: number): Place | undefined {
  const words = [...run.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word, from: index, to: index + word.length }))
  const first = words.findIndex(({ word }) => !isOrdinaryWord(word))
  const last = words.findLastIndex(({ word }) => !isOrdinaryWord(word))
  const [begin, end] = [words[first], words[last]]
  if (begin === undefined || end === undefined) return undefined
  const possessive = /['’]s?$/.exec(end.word)?.[0].length ?? 0
  const dash = /-+$/.exec(end.word)?.[0].length ?? 0
  return { from: at + begin.from, to: at + end.to - possessive - dash }
}

function unspacedNames(text: string): readonly PossibleName[] {
  const found: PossibleName[] = []
  const take = (from: number, to: number): void => {
    if (to > from) found.push({ from, to, sign: 'sure' })
  }
  for (const { 1: inner = '', index } of text.matchAll(QUOTED)) take(index + 1, index + 1 + inner.length)
  for (const { 1: name = '', index } of text.matchAll(TITLED)) if (!TITLED_NOUNS.has(name)) take(index, index + name.length)
  for (const { 0: name, index } of text.matchAll(LATIN_NAME)) take(index, index + name.length)
  return found.sort((a, b) => a.from - b.from || b.to - a.to)
}
