// Writes what people edited in a shared store to the files of the workspace, where a SQLite store has it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { withValue } from '../../files/jsonc-edit.ts'
import type { SharedTexts } from '../../files/shared-texts.ts'
import { fileText } from '../../files/text-source.ts'
import { secretsText } from '../../settings/secrets-file.ts'
import { nodeSettingsIn, withoutNodeSettings } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** What is to be in a file; null if it is to be gone. */
type FileWish = { readonly path: string; readonly text: string | null }

/** Reads all documents, also those that are encrypted, so that one that cannot be read is known before anything is copied. */
export function documentsOf({ home, secrets, shared }: Workspace): Result<readonly FileWish[], Fault> {
  if (shared === undefined) return ok([])
  const wishes: FileWish[] = []
  for (const [path, kept] of shared.texts.shared()) {
    const text = kept === null ? ok(null) : textOf(shared.texts, path)
    if (!text.ok) return text
    const own = path === 'secrets.json' ? ok(secretsText(secrets.now())) : withOwnSettings(home, path, text.value)
    if (!own.ok) return own
    wishes.push({ path, text: own.value })
  }
  return ok(wishes)
}

function textOf(texts: SharedTexts, path: string): Result<string, Fault> {
  try {
    return ok(texts.kept(path).read())
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('conflict', message))
  }
}

/** The keys that a node reads from its own file stay as they are in it. */
function withOwnSettings(home: string, path: string, text: string | null): Result<string | null, Fault> {
  if (path !== 'turnwise.json' || text === null) return ok(text)
  const file = readFile(home, path)
  if (!file.ok) return file
  const own = nodeSettingsIn(file.value ?? '')
  if (!own.ok) return own
  const shared = withoutNodeSettings(text)
  return ok(Object.entries(own.value).reduce((whole, [key, value]) => withValue(whole, [key], value), shared))
}

function readFile(home: string, path: string): Result<string | undefined, Fault> {
  const source = fileText(home, path)
  try {
    return ok(source.stamp() === undefined ? undefined : source.read())
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('conflict', `${source.title()}: it cannot be read (${message})`))
  }
}

/** Gives the paths of the files that changed. What a file had before is beside it as `.bak`. */
export async function writeDocuments(
  { home }: Pick<Workspace, 'home'>,
  wishes: readonly FileWish[],
): Promise<Result<readonly string[], Fault>> {
  const written: string[] = []
  for (const { path, text } of wishes) {
    const before = readFile(home, path)
    if (!before.ok) return before
    if ((before.value ?? null) === text) continue
    const file = fileText(home, path)
    const unwritable = file.whyUnwritable()
    if (unwritable !== undefined) return err(unwritable)
    const saved = before.value === undefined ? ok(true) : ((await file.saveCopy?.(before.value)) ?? ok(true))
    if (!saved.ok) return saved
    if (text === null) rmSync(join(home, path), { force: true })
    else {
      const replaced = await file.replace(text)
      if (!replaced.ok) return replaced
    }
    written.push(path)
  }
  return ok(written)
}
