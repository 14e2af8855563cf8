// Finds a tool's program on the path and checks that it is still the same file.
import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import type { RunFile } from '../../model/approval.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { canRunAnything } from '../descriptor/exec-capable.ts'

/** A file that may be run, and a check whether it is still the file that was loaded. */
export type Binary = {
  readonly name: string
  /** The path it is run by, which may be a link. */
  readonly path: string
  /** What a person is shown: the file behind all links, and its hash. */
  readonly file: RunFile
  /** Why the file must not be run any more, or undefined. */
  readonly whyChanged: () => Promise<string | undefined>
}

export type Search = {
  /** Where binaries are searched, as in the variable PATH. Relative entries do not count. */
  readonly path: string
  /** Names of binaries that can run anything and may be used anyway. */
  readonly accept: readonly string[]
  /** The path of the program that skills call `turnwise`. */
  readonly ownBinary: string
}

/** The name by which skills call our own launcher. */
export const OWN_NAME = 'turnwise'

/** Finds the binary of a bare name, or says why a skill may not use it. */
export async function findBinary(name: string, { path, accept, ownBinary }: Search): Promise<Result<Binary, string>> {
  if (name === OWN_NAME) return openBinary(name, ownBinary)
  if (name.includes('/') || name.includes('\\')) return err(`${name} is not a bare name`)
  const file = await firstExecutable(path.split(delimiter).filter(isAbsolute), name)
  if (file === undefined) return err(`there is no ${name} on the PATH`)
  const names = [name, basename(await realpath(file))]
  if (names.some(canRunAnything) && !names.some(each => accept.includes(each)))
    return err(`${name} (${file}) can run anything; to allow it, add "${name}" to tools.accept in the settings`)
  return openBinary(name, file)
}

/** Opens a binary at a known path. Links are followed, but it is run by its own name, because some programs depend on it. */
export async function openBinary(name: string, path: string): Promise<Result<Binary, string>> {
  try {
    await access(path, constants.X_OK)
    let seen = await identify(path)
    const { file } = seen
    const whyChanged = async (): Promise<string | undefined> => {
      const now = await identify(path, seen).catch(() => undefined)
      if (now?.file.sha256 !== file.sha256 || now.file.path !== file.path) return `${path} changed since it was loaded`
      seen = now
      return access(path, constants.X_OK).then(
        () => undefined,
        () => `${path} is not executable any more`,
      )
    }
    return ok({ name, path, file, whyChanged })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    return err(code === 'ENOENT' ? `${path} does not exist` : code === 'EACCES' ? `${path} is not executable` : message)
  }
}

/** `isSettled` is true if the file was hashed so long after its last change that a further change must look different. */
type Identity = { readonly stat: BigIntStats; readonly file: RunFile; readonly isSettled: boolean }

/** Two changes within one tick of a file system's clock leave the same time. No clock in use ticks more slowly than this. */
const SETTLED_AFTER_MS = 2000

/** Reads the file again only if it looks different. The time of its last status change cannot be set back. */
async function identify(path: string, before?: Identity): Promise<Identity> {
  const looks = await stat(path, { bigint: true })
  if (before?.isSettled === true && isSame(looks, before.stat)) return before
  if (!looks.isFile()) throw new Error(`${path} is not a regular file`)
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const [opened, real] = await Promise.all([file.stat({ bigint: true }), realpath(path)])
  const isSettled = Date.now() - Number(opened.ctimeNs / 1_000_000n) > SETTLED_AFTER_MS
  await refuseShellText(file, path)
  const hash = createHash('sha256')
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) hash.update(chunk)
  return { stat: opened, file: { path: real, sha256: hash.digest('hex') }, isSettled }
}

const isSame = (a: BigIntStats, b: BigIntStats): boolean =>
  (['dev', 'ino', 'mtimeNs', 'ctimeNs', 'size'] as const).every(key => a[key] === b[key])

const SCRIPT = '2321'
const EXECUTABLES = ['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe']

/** execvp, and so Node, would run a text file without `#!` in a shell. Turnwise never uses a shell. */
async function refuseShellText(file: FileHandle, path: string): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  const magic = buffer.toString('hex', 0, bytesRead)
  if (magic.startsWith(SCRIPT) || EXECUTABLES.includes(magic)) return
  throw new Error(`${path} is neither a program nor a script that begins with "#!"`)
}

async function firstExecutable(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const file = join(folder, name)
    const isExecutable = await access(file, constants.X_OK)
      .then(() => stat(file))
      .then(
        found => found.isFile(),
        () => false,
      )
    if (isExecutable) return file
  }
  return undefined
}
