/** Marks where a new message begins, for wires on which messages of one role end up as one text. */
import { isFile, type Placed } from './join-neighbors.ts'

/** The line before a message that follows another one of its role. It looks like the markers of a transcript. */
export const JOINT = '=== NEXT MESSAGE ==='

/**
 * Puts the joint before the words of every message but the first, and a `\` before each line of a text that looks like a
 * joint. Texts are escaped even if nothing is joined: a later message must not change an earlier one.
 */
export function withJoints(blocks: readonly Placed[]): readonly Placed[] {
  let last: number | undefined
  return blocks.flatMap(({ at, block }): Placed[] => {
    if (block.type !== 'text' && !isFile(block)) return [{ at, block }]
    const isJoined = last !== undefined && last !== at
    last = at
    if (block.type !== 'text')
      return isJoined
        ? [
            { at, block: { type: 'text', text: JOINT } },
            { at, block },
          ]
        : [{ at, block }]
    return [{ at, block: { type: 'text', text: `${isJoined ? `${JOINT}\n\n` : ''}${escapeJoints(block.text)}` } }]
  })
}

/** A line of a text that looks like the joint gets a `\`, and one more if it had some. */
export const escapeJoints = (text: string): string => text.replace(LOOKALIKE, '\\')

/** The text before `escapeJoints`. */
export const unescapeJoints = (text: string): string => text.replace(ESCAPED, '')

// A model does not read exactly, so spaces and capitals make no difference.
const LOOKALIKE = /^(?=[\\ \t]*={3,}[ \t]*next message)/gim
const ESCAPED = /^\\(?=[\\ \t]*={3,}[ \t]*next message)/gim
