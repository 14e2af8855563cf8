// Turns file system errors into values.
import { err, ok, type Result } from '../model/result.ts'

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'leads to nothing',
  ELOOP: 'is a link that leads back to itself',
  ENOTDIR: 'is not a folder',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
}

/** An error of the file system, by its code and in words. */
export type FileRefusal = { readonly code: string; readonly words: string }

/** Calls the file system. Its errors become values; anything else is thrown. */
export function attempt<Value>(work: () => Value): Result<Value, FileRefusal> {
  try {
    return ok(work())
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && 'syscall' in cause)) throw cause
    const code = String(cause.code)
    return err({ code, words: WORDS[code] ?? `cannot be read (${code})` })
  }
}
