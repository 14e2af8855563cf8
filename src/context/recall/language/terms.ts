/** Takes a text apart into the terms that the index of recall is made of. */
import { stemmer } from 'stemmer'
import { languages } from './languages/all.ts'
import { type LanguageCode, type TextLanguage, withoutAccents } from './languages/language.ts'

/** A term of a question: the word, and the forms by which messages may be indexed that contain it. */
export type QuestionTerm = { readonly word: string; readonly forms: readonly string[] }

/** Longer words are cut: they are hashes and encoded files, and the index need not keep them whole. */
const LONGEST_WORD = 64

const [english] = languages

/** The words of a text in lower case; scripts without spaces give pairs of characters. */
export function wordsOf(text: string): readonly string[] {
  const isPlain = !MORE_THAN_ASCII.test(text)
  const lower = withoutContractions((isPlain ? text : text.normalize('NFKC')).toLowerCase())
  if (isPlain) return (lower.match(PLAIN_WORD) ?? []).map(cut)
  const runs = lower.match(WORD) ?? []
  return UNSPACED.test(lower) ? runs.flatMap(run => (UNSPACED.test(run) ? pairsIn(run) : cut(run))) : runs.map(cut)
}

const MORE_THAN_ASCII = /[^\p{ASCII}]/u
const PLAIN_WORD = /[a-z0-9]+/g
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const CONTRACTION = /(?<=\p{L})['’](?:s|t|d|ll|re|ve|m)(?![\p{L}\p{N}])/gu

/** "Caroline's" is about Caroline, and the "t" of "don't" about nothing. */
const withoutContractions = (text: string): string =>
  text.includes("'") || text.includes('’') ? text.replace(CONTRACTION, ' ') : text

const cut = (word: string): string => {
  if (word.length <= LONGEST_WORD) return word
  return word.slice(0, isHighSurrogate(word.charCodeAt(LONGEST_WORD - 1)) ? LONGEST_WORD - 1 : LONGEST_WORD)
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** The scripts that write words without spaces between them: Thai, Lao, Burmese, Khmer, kana and Han, in UTF-16 units. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\ud840-\ud888]/

/** The same for one unit; kana and Han come first because an expression for each character takes too long. */
const isUnspaced = (code: number): boolean =>
  (code >= 0x3041 && code <= 0x30ff) || isHan(code) || UNSPACED.test(String.fromCharCode(code))

/** Pairs of neighbors where a run has no spaces, and whole words where other letters stand in it. */
function pairsIn(run: string): readonly string[] {
  const found: string[] = []
  let [word, before, isAlone] = ['', '', false]
  const endWord = (): void => {
    if (word !== '') found.push(cut(word))
    word = ''
  }
  const endPairs = (): void => {
    if (isAlone) found.push(before)
    ;[before, isAlone] = ['', false]
  }
  for (const character of run) {
    if (!isUnspaced(character.charCodeAt(0))) {
      endPairs()
      word += character
      continue
    }
    endWord()
    if (before !== '') found.push(before + character)
    ;[isAlone, before] = [before === '', character]
  }
  endWord()
  endPairs()
  return found
}

/** The language of a text by its script and its stop words; English where these do not decide. */
export const textLanguage = (text: string): TextLanguage => single(languagesIn(text).likely)

/** The languages that a text may be in: the one that its words speak for, several where they tie, none where no word is known. */
export type LikelyLanguages = {
  readonly likely: readonly TextLanguage[]
  /** Whether more than one word speaks for them. */
  readonly isSure: boolean
}

export const languagesIn = (text: string): LikelyLanguages => languagesOf(wordsOf(text))

const single = (likely: readonly TextLanguage[]): TextLanguage => (likely.length === 1 && likely[0]) || english

/** The words that say something in each of the languages that a text may be in. */
function tellingWords(words: readonly string[], likely: readonly TextLanguage[]): readonly string[] {
  const asked = likely.length === 0 ? 1 : likely.reduce((bits, language) => bits | (1 << languages.indexOf(language)), 0)
  return words.filter(word => ((stopWordOf.get(word) ?? 0) & asked) === 0)
}

/** Which languages have a word as a stop word: their places in the list as bits. */
const stopWordOf: ReadonlyMap<string, number> = placesOfStopWords()

function placesOfStopWords(): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, { stopWords }] of languages.entries()) {
    for (const word of stopWords) places.set(word, (places.get(word) ?? 0) | (1 << place))
  }
  return places
}

function languagesOf(words: readonly string[]): LikelyLanguages {
  const byScript = languageByScript(words)
  // A Japanese text may do without kana for some words: "先週".
  if (byScript !== undefined) return { likely: [byScript], isSure: byScript.code === 'ja' }
  const counts = languages.map(() => 0)
  for (const word of words) {
    const places = stopWordOf.get(word)
    if (places !== undefined)
      for (const place of counts.keys()) if (places & (1 << place)) counts[place] = (counts[place] ?? 0) + 1
  }
  const most = Math.max(...counts)
  return { likely: most === 0 ? [] : languages.filter((_, place) => counts[place] === most), isSure: most > 1 }
}

/** Japanese or Chinese, if at least half of the words are in their scripts: one quoted name does not change a language. */
function languageByScript(words: readonly string[]): TextLanguage | undefined {
  let kana = 0
  let han = 0
  for (const word of words) {
    const [first, last] = [word.charCodeAt(0), word.charCodeAt(word.length - 1)]
    if (isKana(first) || isKana(last)) kana++
    else if (isHan(first)) han++
  }
  if (kana + han === 0 || (kana + han) * 2 < words.length) return undefined
  return withCode(kana > 0 ? 'ja' : 'zh')
}

const isKana = (code: number): boolean => code >= 0x3041 && code <= 0x30ff

/** The common ideographs, and the first halves of the rare ones. */
const isHan = (code: number): boolean => (code >= 0x3400 && code <= 0x9fff) || (code >= 0xd840 && code <= 0xd888)

const withCode = (code: LanguageCode): TextLanguage | undefined => languages.find(language => language.code === code)

/** The terms of a text in their order, with repeats: words that say something, as stems if the text is English. */
export function termsOf(text: string): readonly string[] {
  const words = wordsOf(text)
  const { likely } = languagesOf(words)
  const telling = tellingWords(words, likely)
  return single(likely) === english ? telling.map(stemOf) : telling
}

/** How many stems are remembered before the memory starts anew: some megabytes. */
const MOST_STEMS = 50_000
const stems = new Map<string, string>()
const ENGLISH_WORD = /^[a-z]+$/

/** The stem of an English word; words with digits and other letters are their own. */
function stemOf(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= MOST_STEMS) stems.clear()
  const stem = ENGLISH_WORD.test(word) ? stemmer(word) : word
  stems.set(word, stem)
  return stem
}

/** The distinct terms of a question, without the speakers' names and without words about talking unless these are all it has. */
export function questionTerms(text: string, speakers: readonly string[]): readonly QuestionTerm[] {
  const words = wordsOf(text)
  const { likely } = languagesOf(words)
  const names = new Set(speakers.flatMap(wordsOf).flatMap(name => [name, `${name}s`]))
  const telling = tellingWords(words, likely).filter(word => !names.has(word))
  const topical = telling.filter(word => !isAboutTalking(word, likely))
  return distinctTerms(topical.length > 0 ? topical : telling, single(likely) === english ? stemOf : word => word)
}

function isAboutTalking(word: string, likely: readonly TextLanguage[]): boolean {
  const plain = withoutAccents(word)
  return (likely.length === 0 ? [english] : likely).some(language => language.talk.test(plain))
}

/** One term for each word or stem. Messages of other languages are indexed by whole words, so every term has both forms. */
function distinctTerms(words: readonly string[], keyOf: (word: string) => string): readonly QuestionTerm[] {
  return [...Map.groupBy(words, keyOf).values()].flatMap(same => {
    const [word] = same
    return word === undefined ? [] : { word, forms: [...new Set([stemOf(word), ...same])] }
  })
}
