/** Writes the files of a workspace: whole or not at all, regular files only, and never through a link. */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type OpenFolder, openFolder, Unwritable } from './workspace-folder.ts'

const LINK = 'it is a symbolic link, and Turnwise writes through none; put the file itself there, or edit the one it points to'
const NOT_A_FILE = 'it is not a regular file; move it away'

/** Where a file will be: in a folder that stays the one that was checked. */
type Place = OpenFolder & { readonly file: string; readonly before: Stats | undefined }

/**
 * Replaces a file's text: a reader sees the old text or the new one, even after a crash. Creates missing folders. An existing
 * file keeps its mode and its owner; a new one is readable by its owner alone. `mayReplace` is called when the text is safely on
 * the disk and only the rename is missing; the result is false if it refused.
 */
export async function writeWorkspaceFile(
  home: string,
  path: string,
  text: string,
  mayReplace: () => boolean = () => true,
): Promise<Result<boolean, Fault>> {
  return settled(home, path, async () => {
    using place = openPlace(home, path)
    const draft = draftIn(place)
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(text)
        likeBefore(file.fd, place.before)
        await file.sync()
      } finally {
        await file.close()
      }
      if (!mayReplace()) return false
      // Nothing may run between this check and the rename.
      refuseOthers(place)
      renameSync(draft, place.file)
      return true
    } finally {
      rmSync(draft, { force: true })
    }
  })
}

/**
 * The synchronous form, for a process with nothing else to do. With `isNew` it replaces nothing; false means that a file was
 * there.
 */
export function writeWorkspaceFileSync(
  home: string,
  path: string,
  content: string | Uint8Array,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Result<boolean, Fault> {
  return settledNow(home, path, () => {
    using place = openPlace(home, path, isNew)
    const draft = draftIn(place)
    const file = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(file, content)
      likeBefore(file, place.before)
      fsyncSync(file)
      refuseOthers(place, isNew)
      if (isNew) linkSync(draft, place.file)
      else renameSync(draft, place.file)
      return true
    } catch (cause) {
      if (isNew && (cause as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw cause
    } finally {
      closeSync(file)
      rmSync(draft, { force: true })
    }
  })
}

/** Appends to a file, and creates it for its owner alone if it is missing. */
export function appendWorkspaceFileSync(home: string, path: string, text: string): Result<null, Fault> {
  return settledNow(home, path, () => {
    using place = openPlace(home, path)
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = openSync(place.file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try {
      if (!fstatSync(file).isFile()) throw new Unwritable(NOT_A_FILE)
      writeFileSync(file, text)
      return null
    } finally {
      closeSync(file)
    }
  })
}

/** Reads a file that a person may have put there. Refuses anything but a regular file instead of waiting for it. */
export async function readRegularFile(path: string): Promise<string> {
  await using file: FileHandle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  refuseOthersToRead(await file.stat())
  return file.readFile('utf8')
}

export function readRegularFileSync(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    refuseOthersToRead(fstatSync(file))
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** Throws the same kind of error as the system would. */
function refuseOthersToRead(found: Stats): void {
  if (found.isFile()) return
  const code = found.isDirectory() ? 'EISDIR' : 'EINVAL'
  throw Object.assign(new Error(`${code}: not a regular file`), { code })
}

/** Why a file of the workspace cannot be written at its path. */
export const whyUnwritable = (home: string, path: string): Fault | undefined => {
  const looked = settledNow(home, path, () => openPlace(home, path)[Symbol.dispose]())
  return looked.ok ? undefined : looked.fault
}

function openPlace(home: string, path: string, isNew = false): Place {
  const names = path.split('/')
  const name = names.pop() ?? ''
  const folder = openFolder(home, names)
  const file = join(folder.path, name)
  try {
    const before = lstatSync(file, { throwIfNoEntry: false })
    const place = { ...folder, file, before }
    refuseOthers(place, isNew)
    return place
  } catch (cause) {
    folder[Symbol.dispose]()
    throw cause
  }
}

/** Only a regular file, or nothing, may be at the path. A new file never replaces anything anyway. */
function refuseOthers(place: Place, isNew = false): void {
  place.look()
  const found = isNew ? undefined : lstatSync(place.file, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw new Unwritable(LINK)
  if (found !== undefined && !found.isFile()) throw new Unwritable(NOT_A_FILE)
}

const draftIn = ({ path }: Place): string => join(path, `.${randomUUID()}.new`)

/** Keeps the mode and the owner of the file that was there. */
function likeBefore(file: number, before: Stats | undefined): void {
  if (before === undefined) return
  const now = fstatSync(file)
  if (now.uid !== before.uid || now.gid !== before.gid)
    try {
      fchownSync(file, before.uid, before.gid)
    } catch {
      // Only root may give files away. Otherwise the file becomes ours.
    }
  fchmodSync(file, before.mode & 0o777)
}

async function settled<Value>(home: string, path: string, work: () => Promise<Value>): Promise<Result<Value, Fault>> {
  try {
    return ok(await work())
  } catch (cause) {
    return err(faultFor(home, path, cause))
  }
}

function settledNow<Value>(home: string, path: string, work: () => Value): Result<Value, Fault> {
  try {
    return ok(work())
  } catch (cause) {
    return err(faultFor(home, path, cause))
  }
}

/** A person must move what is in the way; an error from the disk is a store fault. Any other error is a bug. */
function faultFor(home: string, path: string, cause: unknown): Fault {
  if (cause instanceof Unwritable) return fault('conflict', `${join(home, cause.place ?? path)}: ${cause.message}`)
  const { code } = cause as NodeJS.ErrnoException
  if (code === undefined) throw cause
  // The file, or a folder on the way, became a link after the check.
  if (code === 'ELOOP' || code === 'ENOTDIR') return fault('conflict', `${join(home, path)}: ${LINK}`)
  return fault('store', `${join(home, path)}: it could not be written (${code})`)
}
