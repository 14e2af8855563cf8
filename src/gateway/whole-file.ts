import { randomUUID } from 'node:crypto'
import { renameSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file whole or not at all, for its owner alone: a reader sees the old text or the new one, also after a crash.
 * Whoever asked may still refuse when the text is safe on the disk and only its name is missing; false says that it did.
 */
export async function writeWhole(file: string, text: string, mayReplace: () => boolean = () => true): Promise<boolean> {
  const draft = join(dirname(file), `.${randomUUID()}.new`)
  try {
    await writeDurably(draft, text)
    // Nothing may come between the question and the answer to it.
    if (!mayReplace()) return false
    renameSync(draft, file)
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
