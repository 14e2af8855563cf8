// What a slash command is, and how its line is read.
import { type Fault, fault } from '../../../../model/fault.ts'
import { err, type Result } from '../../../../model/result.ts'
import type { ChatContext } from '../chat-context.ts'

/** Something a person can have done by a line that begins with a slash. */
export type ChatCommand = {
  readonly name: string
  /** What may follow, as the help shows it. */
  readonly takes?: string
  /** One line for the help. */
  readonly does: string
  readonly run: (chatContext: ChatContext, rest: string) => Promise<Result<unknown, Fault>>
}

/** A command of the command line, which prints what it has to say and complains by itself. */
export const printed = async (command: Promise<number>): Promise<Result<unknown, Fault>> => {
  await command
  return { ok: true, value: null }
}

/** Wrong use, in words. */
export const misused = (words: string): Result<never, Fault> => err(fault('invalid', words))

/** What a person typed: a command with what follows it, or something to say. */
export type Typed =
  | { readonly type: 'command'; readonly name: string; readonly rest: string }
  | { readonly type: 'text'; readonly text: string }

/** A slash and letters are a command; a path has more slashes, and two slashes say one. */
export function typed(line: string): Typed {
  if (line.startsWith('//')) return { type: 'text', text: line.slice(1) }
  const [, name, rest = ''] = /^\/([a-zA-Z?]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? []
  return name === undefined ? { type: 'text', text: line } : { type: 'command', name: name.toLowerCase(), rest: rest.trim() }
}

/** A seq that was typed; nothing typed is nothing meant. */
export function seqOf(rest: string, usage: string): Result<number | undefined, Fault> {
  if (rest === '') return { ok: true, value: undefined }
  return /^[1-9]\d{0,14}$/.test(rest) ? { ok: true, value: Number(rest) } : misused(`${usage} takes a seq, as in ${usage} 12`)
}

const MOST_APART = 2

/** The command that was probably meant. */
export function nearestCommand(name: string, known: readonly string[]): string | undefined {
  const begun = known.find(each => each.startsWith(name))
  if (begun !== undefined) return begun
  const [best] = known.map(each => ({ each, apart: distance(name, each) })).sort((a, b) => a.apart - b.apart)
  return best !== undefined && best.apart <= MOST_APART ? best.each : undefined
}

/** How many letters have to change, come or go. */
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
