/** Reads a text of the workspace again whenever it has changed. */
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type TextSource, textAt } from './text-source.ts'

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
  place: string | TextSource,
  { none, parse }: { readonly none: Value; readonly parse: (text: string) => Result<Value, Fault> },
): Result<FollowedFile<Value>, Fault> {
  const source = textAt(place)
  let stamp = source.stamp()
  const first = stamp === undefined ? ok(none) : read(source, parse)
  if (!first.ok) return first
  let good = first.value
  let trouble: string | undefined
  const look = (): void => {
    const seen = source.stamp()
    if (seen === stamp) return
    stamp = seen
    const changed =
      seen === undefined ? err(fault('invalid', `${source.title()}: it is gone; restart to do without it`)) : read(source, parse)
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

function read<Value>(source: TextSource, parse: (text: string) => Result<Value, Fault>): Result<Value, Fault> {
  try {
    const parsed = parse(source.read())
    return parsed.ok ? parsed : err(fault('invalid', `${source.title()}: ${parsed.fault.message}`))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', `${source.title()}: it cannot be read (${message})`))
  }
}
