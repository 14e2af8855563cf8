// What a slash command is, and how its line is read.
import type { InboundPart } from '../../../../engine.ts'
import { type Fault, fault } from '../../../../model/fault.ts'
import { err, type Result } from '../../../../model/result.ts'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import { fileSize } from '../../output/phrase.ts'
import type { ChatContext } from '../chat-context.ts'

/** A command that a person runs by typing a line that begins with a slash. */
export type ChatCommand = {
  readonly name: string
  /** The arguments, as the help shows them. */
  readonly takes?: string
  /** One line about it for the help. */
  readonly does: string
  readonly run: (chatContext: ChatContext, rest: string) => Promise<Result<unknown, Fault>>
}

/** A command of the command line, which prints its own output and errors. */
export const printed = async (command: Promise<number>): Promise<Result<unknown, Fault>> => {
  await command
  return { ok: true, value: null }
}

/** The complaint about wrong use. */
export const misused = (words: string): Result<never, Fault> => err(fault('invalid', words))

/** The line about what goes with the next message. */
export const attachedNote = (files: readonly InboundPart[]): string =>
  `the next message goes with ${files.map(({ name, data }) => `${escapeToOneLine(name)} (${fileSize(Buffer.byteLength(data, 'base64'))})`).join(', ')}`

/** What a person typed: a command with its arguments, or a message. */
export type Typed =
  | { readonly type: 'command'; readonly name: string; readonly rest: string }
  | { readonly type: 'text'; readonly text: string }

/** A slash followed by letters is a command. A path contains more slashes, and two slashes escape one. */
export function typed(line: string): Typed {
  if (line.startsWith('//')) return { type: 'text', text: line.slice(1) }
  const [, name, rest = ''] = /^\/([a-zA-Z?]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? []
  return name === undefined ? { type: 'text', text: line } : { type: 'command', name: name.toLowerCase(), rest: rest.trim() }
}

/** A typed seq, or undefined if the person typed none. */
export function seqOf(rest: string, usage: string): Result<number | undefined, Fault> {
  if (rest === '') return { ok: true, value: undefined }
  return /^[1-9]\d{0,14}$/.test(rest) ? { ok: true, value: Number(rest) } : misused(`${usage} takes a seq, as in ${usage} 12`)
}

const MOST_APART = 2

/** The command that the person probably meant. */
export function nearestCommand(name: string, known: readonly string[]): string | undefined {
  const begun = known.find(each => each.startsWith(name))
  if (begun !== undefined) return begun
  const [best] = known.map(each => ({ each, apart: distance(name, each) })).sort((a, b) => a.apart - b.apart)
  return best !== undefined && best.apart <= MOST_APART ? best.each : undefined
}

/** The edit distance: how many letters must change, be added or be removed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries())
      next.push(Math.min((row[column] ?? 0) + (letter === other ? 0 : 1), (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    row = next
  }
  return row.at(-1) ?? 0
}
