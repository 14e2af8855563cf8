// Reads a file again whenever it has changed.
import { statSync } from 'node:fs'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { readRegularFileSync } from './workspace-file.ts'

/** The content of a workspace file, always up to date. */
export type FollowedFile<Value> = {
  /** Checks the file first. An invalid edit leaves the last good value in place. */
  readonly now: () => Value
  /** What is wrong with the file now. Its last good state stays in use. */
  readonly trouble: () => string | undefined
}

/**
 * Reads a file, and again whenever it has changed. A file that is wrong from the start is refused; a missing one gives `none`.
 */
export function followFile<Value>(
  file: string,
  { none, parse }: { readonly none: Value; readonly parse: (text: string) => Result<Value, Fault> },
): Result<FollowedFile<Value>, Fault> {
  let stamp = fileStamp(file)
  const first = stamp === undefined ? ok(none) : read(file, parse)
  if (!first.ok) return first
  let good = first.value
  let trouble: string | undefined
  const look = (): void => {
    const seen = fileStamp(file)
    if (seen === stamp) return
    stamp = seen
    const changed =
      seen === undefined ? err(fault('invalid', `${file}: it is gone; restart to do without it`)) : read(file, parse)
    if (changed.ok) good = changed.value
    trouble = changed.ok ? undefined : changed.fault.message
  }
  return ok({
    now: () => {
      look()
      return good
    },
    trouble: () => {
      look()
      return trouble
    },
  })
}

/** Changes whenever the file does, to the nanosecond; undefined if there is no file. */
export function fileStamp(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino}`
}

function read<Value>(file: string, parse: (text: string) => Result<Value, Fault>): Result<Value, Fault> {
  try {
    const parsed = parse(readRegularFileSync(file))
    return parsed.ok ? parsed : err(fault('invalid', `${file}: ${parsed.fault.message}`))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', `${file}: it cannot be read (${message})`))
  }
}
