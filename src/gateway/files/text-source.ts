/** Where a text of the workspace is kept that people and Turnwise edit: a file, or a document that several nodes share. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Fault } from '../../model/fault.ts'
import type { Result } from '../../model/result.ts'
import { readRegularFileSync, whyUnwritable, writeWorkspaceFile } from './workspace-file.ts'

export type TextSource = {
  /** What messages call it. */
  readonly title: () => string
  /** Changes whenever the text does; undefined if there is none. */
  readonly stamp: () => string | undefined
  /** Throws what the system throws if the text cannot be read. */
  readonly read: () => string
  /** Why nothing could be written now. */
  readonly whyUnwritable: () => Fault | undefined
  /** Replaces the text if its stamp is still the expected one. False: it has changed meanwhile. */
  readonly write: (text: string, expected: string | undefined) => Promise<Result<boolean, Fault>>
  /** Replaces the text, also one that has changed meanwhile. */
  readonly replace: (text: string) => Promise<Result<boolean, Fault>>
  /** Keeps a copy of a text that is about to be lost; not there where the text stays elsewhere. */
  readonly saveCopy?: (text: string) => Promise<Result<boolean, Fault>>
}

/** All texts of a workspace. */
export type WorkspaceTexts = {
  /** The text at a path of the workspace, such as `projects/garden/CONTEXT.md`. */
  readonly at: (path: string) => TextSource
  /** The paths of the texts that are not files, and their texts; null for one that was removed. */
  readonly shared?: () => ReadonlyMap<string, string | null>
}

/** Texts that are files of the workspace. */
export const fileTexts = (home: string): WorkspaceTexts => ({ at: path => fileText(home, path) })

export function fileText(home: string, path: string): TextSource {
  const file = join(home, path)
  return {
    title: () => file,
    stamp: () => fileStamp(file),
    read: () => readRegularFileSync(file),
    // Checked before reading, because reading something that is not a regular file may never end.
    whyUnwritable: () => whyUnwritable(home, path),
    write: (text, expected) => writeWorkspaceFile(home, path, text, () => fileStamp(file) === expected),
    replace: text => writeWorkspaceFile(home, path, text),
    saveCopy: text => writeWorkspaceFile(home, `${path}.bak`, text),
  }
}

/** A place that is given as the path of a file, or as a text that may be kept elsewhere. */
export const textAt = (place: string | TextSource): TextSource =>
  typeof place === 'string' ? fileText(dirname(place), basename(place)) : place

/** Changes whenever the file does, to the nanosecond; undefined if there is no file. */
export function fileStamp(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino}`
}
