// Reads a plain text file under a folder.
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { err, ok, type Result } from '../model/result.ts'
import { attempt } from './attempt.ts'

export const LARGEST_SKILL_BYTES: number = 256 * 1024

/** `undefined` if there is no such file. */
export type SkillText = { readonly text: string; readonly bytes: Uint8Array } | undefined

/**
 * Reads the text of a plain file under a root (a real path), or says why it cannot. It never opens links, pipes and devices,
 * and does not read a file that was exchanged between the check and the opening.
 */
export function readText(root: string, file: string): Result<SkillText, string> {
  const before = attempt(() => lstatSync(file, { bigint: true }))
  if (!before.ok) return before.fault.code === 'ENOENT' ? ok(undefined) : err(before.fault.words)
  const why = whyNot(before.value)
  if (why !== undefined) return err(why)
  const descriptor = attempt(() => openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
  if (!descriptor.ok) return err(descriptor.fault.words)
  try {
    const bytes = attempt(() => readHeld(descriptor.value, root, file))
    if (!bytes.ok) return err(bytes.fault.words)
    return bytes.value.ok ? decoded(bytes.value.value) : bytes.value
  } finally {
    closeSync(descriptor.value)
  }
}

/** True if a real path lies under another one. */
export const isInside = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep)

function whyNot(stats: BigIntStats): string | undefined {
  if (stats.isSymbolicLink()) return 'is a link; only plain files are read'
  if (!stats.isFile()) return 'is not a plain file'
  return stats.size > LARGEST_SKILL_BYTES ? tooLarge : undefined
}

const tooLarge = `is larger than ${LARGEST_SKILL_BYTES / 1024} KiB`

function readHeld(descriptor: number, root: string, file: string): Result<Uint8Array, string> {
  const held = fstatSync(descriptor, { bigint: true })
  const why = whyNot(held)
  if (why !== undefined) return err(why)
  if (!isInside(root, realpathSync(file))) return err('lies outside of its root')
  const there = lstatSync(file, { bigint: true })
  if (there.ino !== held.ino || there.dev !== held.dev) return err('was exchanged while it was opened')
  const buffer = Buffer.alloc(LARGEST_SKILL_BYTES + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(descriptor, buffer, length, buffer.length - length, null)
  return length > LARGEST_SKILL_BYTES ? err(tooLarge) : ok(buffer.subarray(0, length))
}

/** Bytes become text only if all of them are valid. A byte order mark is not part of the text. */
function decoded(bytes: Uint8Array): Result<SkillText, string> {
  try {
    return ok({ text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes })
  } catch (cause) {
    if (cause instanceof TypeError) return err('is not UTF-8')
    throw cause
  }
}
