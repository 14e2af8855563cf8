/** Writes the frames of a fake answer, with the faults its script asks for. */
import { type FakeFault, type FakeWire, filled, type Script, scriptFault } from './fake-script.ts'
import { anthropicDialect } from './providers/anthropic.ts'
import type { Asked, Dialect, ErrorWords, FakeFrame } from './providers/dialect.ts'
import { ollamaDialect } from './providers/ollama.ts'
import { openaiDialect } from './providers/openai.ts'

export const DIALECTS: Readonly<Record<FakeWire, Dialect>> = {
  anthropic: anthropicDialect,
  openai: openaiDialect,
  ollama: ollamaDialect,
}

/** A stream's frames. `forever` is repeated after them. */
export type Stream = { readonly frames: readonly string[]; readonly forever?: string }

const ASKED: Asked = { model: 'fake', ordinal: 1, wantsUsage: true, flavour: 'openai' }

/**
 * The frames of a streamed answer, with every fault of the script that changes bytes. An endless answer ends where it
 * repeats.
 */
export const framesOf = (wire: FakeWire, script: Script, asked: Partial<Asked> = {}): readonly string[] =>
  streamOf(DIALECTS[wire], script, { ...ASKED, ...asked }).frames

/** The whole body of a streamed answer, for tests of decoders that need no server. */
export const bytesOf = (wire: FakeWire, script: Script, asked: Partial<Asked> = {}): Uint8Array =>
  new TextEncoder().encode(framesOf(wire, script, asked).join(''))

export function streamOf(dialect: Dialect, script: Script, asked: Asked): Stream {
  const spoken = dialect.frames(fill(dialect, script, asked), asked)
  const troubled = [withGiantLine, withUnknown, withBadJson, withError, withoutEnd].reduce(
    (frames, fault) => fault(frames, script, dialect, asked),
    spoken,
  )
  const endless = scriptFault(script, 'endless') && troubled.findLast(({ around }) => around !== undefined)
  const frames = (endless === undefined ? troubled : troubled.filter(({ ends }) => !ends)).map(({ text }) => lines(text, script))
  if (scriptFault(script, 'bom')) frames[0] = `\ufeff${frames[0] ?? ''}`
  return endless === undefined ? { frames } : { frames, forever: lines(endless.text, script) }
}

/** The answer to a request without a stream. */
export function wholeOf(dialect: Dialect, script: Script, asked: Asked): string {
  const body = JSON.stringify(dialect.whole(fill(dialect, script, asked), asked))
  const sound = scriptFault(script, 'badJson') ? body.slice(0, -1) : body
  return scriptFault(script, 'bom') ? `\ufeff${sound}` : sound
}

const fill = (dialect: Dialect, script: Script, asked: Asked): ReturnType<typeof filled> =>
  filled(script, nth => (nth === 0 ? `${dialect.callPrefix}fake` : `${dialect.callPrefix}fake_${asked.ordinal}_${nth}`))

type Fault = (frames: readonly FakeFrame[], script: Script, dialect: Dialect, asked: Asked) => readonly FakeFrame[]

const withGiantLine: Fault = (frames, script) => {
  const fault = scriptFault(script, 'giantLine')
  const at = frames.findIndex(({ around }) => around !== undefined)
  const around = frames[at]?.around
  if (fault === undefined || around === undefined) return frames
  // The text is on the longest line, so this line grows with the text letter by letter.
  const empty = Math.max(
    ...around('')
      .split('\n')
      .map(line => Buffer.byteLength(line)),
  )
  return frames.toSpliced(at + 1, 0, { text: around('x'.repeat(Math.max(0, fault.bytes - empty))), around })
}

const withUnknown: Fault = (frames, script, dialect, asked) => {
  const fault = scriptFault(script, 'unknownEvents')
  if (fault === undefined) return frames
  const names = Array.from({ length: fault.count ?? 50 }, (_, index) => (index === 0 ? 'execute' : `unknown_${index}`))
  return frames.toSpliced(1, 0, ...names.map(name => ({ text: dialect.unknown(name, asked) })))
}

const withBadJson: Fault = (frames, script, dialect) => {
  const fault = scriptFault(script, 'badJson')
  return fault === undefined ? frames : frames.toSpliced(fault.at ?? Math.floor(frames.length / 2), 0, { text: dialect.badJson })
}

const withError: Fault = (frames, script, dialect, asked) => {
  const fault = scriptFault(script, 'errorEvent')
  if (fault === undefined) return frames
  return [...frames.slice(0, fault.at ?? Math.floor(frames.length / 2)), { text: dialect.errorFrame(errorWords(fault), asked) }]
}

export const errorWords = ({ error, message }: Extract<FakeFault, { type: 'errorEvent' }>): Required<ErrorWords> => ({
  type: error,
  message: message ?? `a fake ${error}`,
})

const withoutEnd: Fault = (frames, script) => {
  const fault = scriptFault(script, 'noTerminal')
  if (fault === undefined) return frames
  return fault.drop === 'last' ? frames.slice(0, -1) : frames.filter(({ ends }) => !ends)
}

/** JSON has no line breaks of its own, so every line break belongs to the frame. */
function lines(text: string, script: Script): string {
  const many = scriptFault(script, 'manyDataLines')
    ? text.replace(/(?<=^|\n)data: (\{[^\n]*\})(?=\n)/g, (_, json) => onLines(json))
    : text
  return scriptFault(script, 'crlf') ? many.replaceAll('\n', '\r\n') : many
}

const onLines = (json: string): string =>
  JSON.stringify(JSON.parse(json), null, 1)
    .split('\n')
    .map(line => `data: ${line}`)
    .join('\n')
