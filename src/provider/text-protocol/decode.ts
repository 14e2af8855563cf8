/** Finds tool calls in the text of a model that has no tools of its own. */
import type { CallId } from '../../model/ids.ts'
import type { Delta } from '../../model/message/delta.ts'
import { CLOSING, DELIMITER, OPENING } from './encode.ts'

type Kind = 'text' | 'think' | 'call'

/**
 * Where the next character is: at the beginning of a line, after a delimiter's colon, at the beginning of a section, inside a
 * line, or after the end, where nothing counts any more.
 */
type Place = 'line' | 'colon' | 'section' | 'inside' | 'over'

/** The state of reading a reply. */
export type Reading = {
  readonly place: Place
  readonly kind: Kind
  /** Text that may still become a delimiter. */
  readonly held: string
  /** The last line break. It is not text if a delimiter follows. */
  readonly lineEnd: string
  /** White space at the beginning of the reply, which is not text if a delimiter follows. It is null once text has begun. */
  readonly lead: string | null
  /** The kind of the last words. Two sections of one kind become one text in two lines. */
  readonly last: Kind | null
  readonly gap: string
  /** The text of the call that is being written. */
  readonly body: string
  readonly ids: string
  readonly calls: number
}

/** Begins to read the reply to a request. The ids of calls are derived from the bytes of the request. */
export const start = (request: string): Reading => ({
  place: 'line',
  kind: 'text',
  held: '',
  lineEnd: '',
  lead: '',
  last: null,
  gap: '',
  body: '',
  ids: `call_${fingerprint(request)}`,
  calls: 0,
})

/** Reads more of the reply. However the text is cut, the same words come out; only a possible delimiter waits. */
export const parseReply = (reading: Reading, text: string): readonly [Reading, readonly Delta[]] =>
  read(reading, reading.held + text, false)

/** The deltas that remain when the reply has ended. */
export function finish(reading: Reading): readonly Delta[] {
  const [whole, words] = read(reading, reading.held, true)
  const [ended, line] = say(whole, whole.lineEnd)
  const [, call] = close(ended)
  const lead: readonly Delta[] = ended.lead === null || ended.lead === '' ? [] : [{ type: 'text', text: ended.lead }]
  return joined([...words, ...line, ...lead, ...call])
}

/** True if the reply has said that it ends here. */
export const isOver = ({ place }: Reading): boolean => place === 'over'

function read(from: Reading, text: string, isAll: boolean): readonly [Reading, readonly Delta[]] {
  const deltas: Delta[] = []
  let reading = from
  let rest = text
  while (rest !== '' && !isOver(reading)) {
    const step = next(reading, rest, isAll)
    if (step === undefined) break
    const [after, heard] = step.opens === undefined ? say(reading, step.said ?? '') : open(reading, step.opens)
    reading = { ...after, place: step.place, lineEnd: step.lineEnd ?? '' }
    rest = rest.slice(step.taken)
    deltas.push(...heard)
  }
  return [{ ...reading, held: isOver(reading) ? '' : rest }, joined(deltas)]
}

type Step = {
  readonly taken: number
  readonly place: Place
  readonly said?: string
  readonly lineEnd?: string
  readonly opens?: Kind
}

/** The next step, or undefined if it depends on text that is not there yet. */
function next({ place, kind, lineEnd, calls }: Reading, rest: string, isAll: boolean): Step | undefined {
  if (place === 'inside') return restOfLine(rest)
  if (place === 'colon') return isAll || rest !== '\r' ? behindColon(rest) : undefined
  if (!isAll && isUndecided(rest, place)) return undefined
  const backslashes = SEVERAL_BACKSLASHES.exec(rest)?.[0]
  if (backslashes !== undefined) return { taken: backslashes.length, said: lineEnd + backslashes, place: 'section' }
  const [found, backslash, opening, closing] = AT_START.exec(rest) ?? []
  if (found === undefined || (backslash === '' && place === 'section')) return { taken: 0, said: lineEnd, place: 'inside' }
  if (backslash !== '') return { taken: found.length, said: lineEnd + found.slice(1), place: 'inside' }
  const opens = closing === undefined ? KINDS[opening?.toLowerCase() ?? ''] : undefined
  if (opens !== undefined) return { taken: found.length, opens, place: 'colon' }
  // A model that writes a result or a person's words has made them up. After a call they end the reply; elsewhere they are text.
  const isEnd = closing !== undefined || calls > 0 || kind === 'call'
  return isEnd ? { taken: found.length, opens: 'text', place: 'over' } : { taken: 0, said: lineEnd, place: 'inside' }
}

const KINDS: Readonly<Record<string, Kind>> = { think: 'think', respond: 'text', call: 'call' }
const AT_START = new RegExp(`^(\\\\?)${DELIMITER}`, 'i')
/** All backslashes but the last, which may belong to a delimiter. */
const SEVERAL_BACKSLASHES = /^\\+(?=\\)/
/** A line break that a delimiter may follow. Any other line break is ordinary text. */
const LINE_END = /[\n\r\u2028\u2029](?=[\\§]|$)/
const WORDS = [...OPENING, ...CLOSING].map(word => `§${word}`)
const LONGEST = Math.max(...WORDS.map(word => word.length))

function restOfLine(rest: string): Step {
  const end = rest.search(LINE_END)
  if (end === -1) return { taken: rest.length, said: rest, place: 'inside' }
  return { taken: end + 1, said: rest.slice(0, end), lineEnd: rest.slice(end, end + 1), place: 'line' }
}

function behindColon(rest: string): Step {
  const white = /^(?: |\r?\n)/.exec(rest)?.[0] ?? ''
  return { taken: white.length, place: white.endsWith('\n') ? 'line' : 'section' }
}

/** After each word must come a colon, or a character that is not part of the word. So even a whole word is undecided. */
function isUndecided(rest: string, place: Place): boolean {
  if (rest.length > LONGEST + 1) return false
  const isEscaped = rest.startsWith('\\')
  const word = rest.slice(isEscaped ? 1 : 0).toLowerCase()
  return (isEscaped || place === 'line') && WORDS.some(each => each.startsWith(word))
}

function say(reading: Reading, text: string): readonly [Reading, readonly Delta[]] {
  const { kind, lead, gap, body } = reading
  if (text === '') return [reading, []]
  if (kind === 'call') return [{ ...reading, body: body + text }, []]
  const words = (lead ?? '') + gap + text
  // Only white space has come so far, so it may still turn out not to be text.
  if (lead !== null && text.trim() === '') return [{ ...reading, lead: words }, []]
  return [{ ...reading, lead: null, gap: '', last: kind }, [{ type: kind, text: words }]]
}

function open(reading: Reading, kind: Kind): readonly [Reading, readonly Delta[]] {
  const [closed, deltas] = close(reading)
  return [{ ...closed, kind, lead: null, gap: closed.last === kind ? '\n' : '' }, deltas]
}

function close(reading: Reading): readonly [Reading, readonly Delta[]] {
  if (reading.kind !== 'call') return [reading, []]
  const calls = reading.calls + 1
  return [{ ...reading, kind: 'text', last: 'call', body: '', calls }, [callOf(`${reading.ids}_${calls}`, reading.body.trim())]]
}

/** Joins neighboring words of one kind into one delta. */
function joined(deltas: readonly Delta[]): readonly Delta[] {
  const all: Delta[] = []
  for (const delta of deltas) {
    const last = all.at(-1)
    if (last?.type === delta.type && (last.type === 'text' || last.type === 'think') && 'text' in delta)
      all[all.length - 1] = { type: last.type, text: last.text + delta.text }
    else all.push(delta)
  }
  return all
}

const NO_NAME = '(no name)'

/** A malformed call goes on as it is, to an unknown tool or with arguments that are not JSON. The model gets an error for it. */
function callOf(call: CallId, text: string): Delta {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { type: 'call', call, tool: nameIn(text), text }
  }
  const name = isObject(value) && Object.hasOwn(value, 'name') ? value.name : undefined
  return typeof name === 'string'
    ? { type: 'call', call, tool: name, text: argsIn(text) }
    : { type: 'call', call, tool: NO_NAME, text }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Finds the name in malformed JSON, so that the model reads which of its calls was wrong. */
const nameIn = (text: string): string => /"name"\s*:\s*"([^"\\\n]+)"/.exec(text)?.[1] ?? NO_NAME

/**
 * The arguments exactly as the model wrote them, because parsing and writing may change bytes. If there are two, the last
 * counts.
 */
function argsIn(text: string): string {
  let args = '{}'
  let depth = 0
  let string = ''
  let key: unknown
  let from = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (depth === 1 && (token === ',' || token === '}')) {
      if (key === 'args') args = text.slice(from, index).trim()
      key = undefined
    }
    if (depth === 1 && token === ':') {
      key = JSON.parse(string)
      from = index + 1
    }
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token.startsWith('"')) string = token
  }
  return args
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g

/** A hash that is good enough to tell the requests of one turn apart. */
function fingerprint(text: string): string {
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(((other << 5) | (other >>> 27)) ^ unit, 0x85ebca6b)
  }
  return [one, other].map(half => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
