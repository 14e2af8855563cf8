// Edits a draft in the person's own editor.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fault, fault } from '../../../../model/fault.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import type { Environment } from '../../../workspace/settings.ts'
import type { Editor } from './editor.ts'
import { LONGEST_INPUT_BYTES } from './state.ts'

/**
 * Lets a person write a draft in `$VISUAL` or `$EDITOR`, which uses the terminal meanwhile. If it fails, the draft is unchanged.
 */
export async function editOutside(
  editor: Pick<Editor, 'away'>,
  environment: Environment,
  draft: string,
): Promise<Result<string, Fault>> {
  const [program = 'vi', ...words] = editorArgv(environment.VISUAL || environment.EDITOR || 'vi')
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-draft-'))
  const file = join(folder, 'message.md')
  let isKept = false
  try {
    chmodSync(folder, 0o700)
    writeFileSync(file, draft, { mode: 0o600, flag: 'wx' })
    const trouble = await editor.away(() => run(program, [...words, file], environment))
    if (trouble !== undefined) return err(fault('invalid', trouble))
    if (statSync(file).size > LONGEST_INPUT_BYTES) {
      isKept = true
      return err(fault('too-large', `what you wrote is longer than 1 MiB; it is kept in ${file}: send it as a file`))
    }
    return ok(readFileSync(file, 'utf8').replaceAll('\r\n', '\n').replace(/\n$/, ''))
  } catch (cause) {
    return err(fault('invalid', `the draft could not be read back: ${cause instanceof Error ? cause.message : String(cause)}`))
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true })
  }
}

/** Splits words as a shell would, and does nothing else that a shell does. Quotes keep a path with spaces together. */
export const editorArgv = (command: string): readonly string[] =>
  [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))

/** What went wrong, or undefined. */
function run(program: string, argv: readonly string[], environment: Environment): Promise<string | undefined> {
  // Ctrl-C in an editor belongs to the editor.
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const child = spawn(program, argv, { stdio: 'inherit', env: environment })
  child.on('error', ({ message }) => resolve(`the editor does not start (${message}); set EDITOR to one that is installed`))
  child.on('exit', code => resolve(code === 0 ? undefined : `${program} ended without success, so the draft is as it was`))
  return promise.finally(() => process.off('SIGINT', ignore))
}
