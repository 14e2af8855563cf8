// Finds a tool's program on the path and checks that it is still the same file.
import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import type { RunFile } from '../../model/approval.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { canRunAnything } from '../descriptor/exec-capable.ts'

/** A file that may be run, and the way to find out whether it is still the one that was loaded. */
export type Binary = {
  readonly name: string
  /** Where it is run from; this may be a link. */
  readonly path: string
  /** What a person is shown: the file behind every link, and its hash. */
  readonly file: RunFile
  /** Why it must not be run any more. */
  readonly whyChanged: () => Promise<string | undefined>
}

export type Search = {
  /** Where binaries are looked for, as in the variable PATH; places that are not absolute do not count. */
  readonly path: string
  /** Names of binaries that can run anything and yet may be used. */
  readonly accept: readonly string[]
  /** What the name `turnwise` stands for. */
  readonly ownBinary: string
}

/** What skills call our own launcher. */
export const OWN_NAME = 'turnwise'

/** The binary of a bare name, or why a skill may not have it. */
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

/** A binary at a known place. Symbolic links are followed, but the name it is run by stays: some programs go by it. */
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

/** `isSettled`: it was hashed so long after its last change that a further change must look different. */
type Identity = { readonly stat: BigIntStats; readonly file: RunFile; readonly isSettled: boolean }

/** Two changes within one tick of a file system's clock leave the same time behind; no clock in use ticks more slowly. */
const SETTLED_AFTER_MS = 2000

/** Reads the file only if it does not look exactly as it did; the time of its last change of state cannot be set back. */
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

/** execvp, and so Node, gives a text without `#!` to a shell; nothing here is ever given to one. */
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
