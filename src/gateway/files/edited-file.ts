/** Edits a text that people write too, one edit after another. */
import { stripComments } from 'jsonc-parser'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type FollowedFile, followFile } from './followed-file.ts'
import { type TextSource, textAt } from './text-source.ts'

/** Computes the new text of a file, and the answer for the caller who asked for the edit. */
export type FileEdit<Answer> = (text: string) => Result<{ readonly text: string; readonly answer: Answer }, Fault>

/** A file of the workspace that people and Turnwise both write. */
export type EditedFile<Value> = FollowedFile<Value> & {
  /** Edits the newest version of the file, including edits by others. Edits run one after another, each fully or not at all. */
  readonly edit: <Answer>(edit: FileEdit<Answer>) => Promise<Result<Answer, Fault>>
}

export type EditedAs<Value> = {
  /** The value of a missing file; `nothing` is the text that an edit of it begins with. */
  readonly none: Value
  readonly nothing: string
  readonly parse: (text: string) => Result<Value, Fault>
  /** The top of every file that Turnwise writes. Any other comment is the person's own. */
  readonly header: string
}

const MOST_TRIES = 5

/** Reads a file, and again whenever it has changed. A file that is wrong from the start is refused. */
export function editFile<Value>(place: string | TextSource, as: EditedAs<Value>): Result<EditedFile<Value>, Fault> {
  const source = textAt(place)
  const followed = followFile(source, as)
  if (!followed.ok) return followed
  const { now, trouble } = followed.value
  let last: Promise<unknown> = Promise.resolve()
  return ok({
    now,
    trouble,
    edit: wish => {
      const done = last.then(() => onNewest(wish))
      last = done.catch(() => undefined)
      return done
    },
  })

  /** Never overwrites another edit: if one came in between, the change is made again on top of it. */
  async function onNewest<Answer>(wish: FileEdit<Answer>): Promise<Result<Answer, Fault>> {
    try {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const done = await attempt(wish)
        if (done !== 'changed meanwhile') return done
      }
      return err(fault('conflict', `${source.title()}: somebody else keeps writing it; try again`))
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      if (code === undefined) throw cause
      return err(fault('store', `${source.title()}: it could not be written (${message})`))
    }
  }

  async function attempt<Answer>(wish: FileEdit<Answer>): Promise<Result<Answer, Fault> | 'changed meanwhile'> {
    const inTheWay = source.whyUnwritable()
    if (inTheWay !== undefined) return err(inTheWay)
    const stamp = source.stamp()
    const wrong = trouble()
    if (wrong !== undefined) return err(fault('conflict', `${wrong}; until that is fixed nothing is written`))
    const before = stamp === undefined ? as.nothing : source.read()
    const edited = wish(before)
    if (!edited.ok) return edited
    const saved = hasOwnComments(before, as.header) ? await source.saveCopy?.(before) : undefined
    if (saved?.ok === false) return saved
    const written = await source.write(edited.value.text, stamp)
    if (!written.ok) return written
    return written.value ? ok(edited.value.answer) : 'changed meanwhile'
  }
}

function hasOwnComments(text: string, header: string): boolean {
  const own = text.startsWith(header) ? text.slice(header.length) : text
  return stripComments(own) !== own
}
