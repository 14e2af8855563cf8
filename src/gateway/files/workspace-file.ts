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

/** Where a file will be: in a folder that stays the one that was looked at. */
type Place = OpenFolder & { readonly file: string; readonly before: Stats | undefined }

/**
 * Puts a text in a file's place: a reader sees the old one or the new one, also after a crash. Folders on the way are made. A file
 * that was there keeps its mode and its owner; a new one is its owner's alone. `mayReplace` is asked when the text is safe on the
 * disk and only its name is missing; false says that it refused.
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
      // Nothing may come between this look and the new name.
      refuseOthers(place)
      renameSync(draft, place.file)
      return true
    } finally {
      rmSync(draft, { force: true })
    }
  })
}

/** The same for a process that has nothing else to do meanwhile. With `isNew` nothing is ever replaced; false says that something was there. */
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

/** Adds to the end of a file, which is made for its owner alone where there is none. */
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

/** Reads a file that people may have put there; one that is no regular file is refused instead of waited for. */
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

/** As the system itself would say it. */
function refuseOthersToRead(found: Stats): void {
  if (found.isFile()) return
  const code = found.isDirectory() ? 'EISDIR' : 'EINVAL'
  throw Object.assign(new Error(`${code}: not a regular file`), { code })
}

/** Why a file of the workspace cannot be written where it stands. */
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

/** Only a regular file, or nothing, may be where a file is written; a new one never takes the place of anything anyway. */
function refuseOthers(place: Place, isNew = false): void {
  place.look()
  const found = isNew ? undefined : lstatSync(place.file, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw new Unwritable(LINK)
  if (found !== undefined && !found.isFile()) throw new Unwritable(NOT_A_FILE)
}

const draftIn = ({ path }: Place): string => join(path, `.${randomUUID()}.new`)

/** What others may do with the file, and whose it is, stays as it was. */
function likeBefore(file: number, before: Stats | undefined): void {
  if (before === undefined) return
  const now = fstatSync(file)
  if (now.uid !== before.uid || now.gid !== before.gid)
    try {
      fchownSync(file, before.uid, before.gid)
    } catch {
      // Only root may give files away; then the file is ours from here on.
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

/** What is in the way is a person's to move; what the disk refuses is the store's trouble. Anything else is a bug. */
function faultFor(home: string, path: string, cause: unknown): Fault {
  if (cause instanceof Unwritable) return fault('conflict', `${join(home, cause.place ?? path)}: ${cause.message}`)
  const { code } = cause as NodeJS.ErrnoException
  if (code === undefined) throw cause
  // It, or a folder on the way, became a link after it was looked at.
  if (code === 'ELOOP' || code === 'ENOTDIR') return fault('conflict', `${join(home, path)}: ${LINK}`)
  return fault('store', `${join(home, path)}: it could not be written (${code})`)
}
