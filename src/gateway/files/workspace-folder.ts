/** Opens a folder of the workspace without following links, and keeps it open. */
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** A person must move something that is in the way; `place` says what, if it is not the file itself. */
export class Unwritable extends Error {
  readonly place: string | undefined
  constructor(why: string, place?: string) {
    super(why)
    this.place = place
  }
}

export type OpenFolder = Disposable & {
  /** Leads to this same folder; on Linux even if a link replaces it meanwhile. */
  readonly path: string
  /** Throws if another folder has taken its place. Needed only where the path alone cannot guarantee that. */
  readonly look: () => void
}

const LINK = 'it is a symbolic link, and Turnwise writes through none; put the folder itself there'
const NOT_A_FOLDER = 'it is not a folder; move it away'
const MOVED = 'it changed while it was written to; try again'

/** Paths below this one start from an open folder. Other systems have nothing like it. */
const OPEN_FILES = '/proc/self/fd'
const CAN_HOLD = process.platform === 'linux' && existsSync(OPEN_FILES)

/**
 * Opens the folder with these names inside the workspace, and creates missing ones for their owner alone. The workspace itself
 * may be a link, because its owner chose that.
 */
export function openFolder(home: string, names: readonly string[], canHold: boolean = CAN_HOLD): OpenFolder {
  if (names.some(name => name === '' || name === '.' || name === '..')) throw new Error(`${names.join('/')} leads elsewhere`)
  const keep = canHold ? held : watched
  let folder = keep(realpathSync(home), '')
  for (const [index, name] of names.entries()) {
    using above = folder
    above.look()
    const [path, place] = [join(above.path, name), names.slice(0, index + 1).join('/')]
    makeFolder(path, place)
    folder = keep(path, place)
  }
  return folder
}

function makeFolder(path: string, place: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
  }
  const found = lstatSync(path)
  if (found.isSymbolicLink()) throw new Unwritable(LINK, place)
  if (!found.isDirectory()) throw new Unwritable(NOT_A_FOLDER, place)
}

function held(path: string): OpenFolder {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return { path: `${OPEN_FILES}/${descriptor}`, look: () => {}, [Symbol.dispose]: () => closeSync(descriptor) }
}

/** A folder that cannot be held open is checked again right before a file gets its name in it. */
function watched(path: string, place: string): OpenFolder {
  const before = lstatSync(path)
  const look = (): void => {
    const now = lstatSync(path, { throwIfNoEntry: false })
    if (now?.isSymbolicLink()) throw new Unwritable(LINK, place)
    if (now?.ino !== before.ino || now.dev !== before.dev) throw new Unwritable(MOVED, place)
  }
  return { path, look, [Symbol.dispose]: () => {} }
}
