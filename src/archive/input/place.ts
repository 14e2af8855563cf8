// Where in a file reading is, for error messages.
import { type BadFile, badFile } from './found.ts'

/** Where in a file reading is, so that an error message can name the place. */
export type FilePosition = {
  /** The file within a ZIP. */
  file?: string
  line?: number
  conversation?: number
  message?: number
}

export function badAt({ file, line, conversation, message }: FilePosition, what: string): BadFile {
  const where = [
    file,
    line === undefined ? undefined : `line ${line}`,
    conversation === undefined ? undefined : `conversation ${conversation}`,
    message === undefined ? undefined : `message ${message}`,
  ].filter(part => part !== undefined)
  return badFile(where.length === 0 ? what : `${where.join(', ')}: ${what}`)
}
