// The export command.
import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import type { Engine, Exported } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { EXPORT_FORMATS, ExportStopped } from '../../../turn/transfer/export-formats.ts'
import { createTerminalEscaper, escapeJsonForTerminal, type TerminalEscaper } from '../output/escape-for-terminal.ts'
import { complain, MISUSED, type Terminal } from '../output/terminal.ts'
import { findSession } from './find-session.ts'
import { reading } from './reading.ts'

export type ExportOptions = {
  readonly all?: boolean
  readonly format?: string
  readonly output?: string
  readonly force?: boolean
}

/** Writes a conversation to a file, or prints it, as it is read; also while a gateway runs. */
export async function exportCommand(terminal: Terminal, wanted: string | undefined, options: ExportOptions): Promise<number> {
  const { all = false, format: named = 'json', output } = options
  if ((wanted === undefined) === !all)
    return complain(terminal, 'give a session or --all; "turnwise sessions" lists them', MISUSED)
  const format = EXPORT_FORMATS.find(known => known === named)
  if (format === undefined) return complain(terminal, `--format must be one of ${EXPORT_FORMATS.join(', ')}`, MISUSED)
  return reading(terminal, async engine => {
    const which = await whichOf(engine, wanted)
    if (!which.ok) return complain(terminal, which.fault.message)
    const file = await engine.export(which.value, format)
    if (!file.ok) return complain(terminal, file.fault.message)
    try {
      if (output === undefined) await print(terminal, file.value)
      else await save(resolve(output), file.value, options.force === true)
      return 0
    } catch (cause) {
      if (cause instanceof ExportStopped) return complain(terminal, cause.fault.message)
      // A reader that closes the pipe early, like `head`, is not an error.
      if (output === undefined && (cause as NodeJS.ErrnoException).code === 'EPIPE') return 0
      return complain(terminal, troubleWith(output ?? 'the output', cause))
    }
  })
}

async function whichOf(engine: Engine, wanted: string | undefined): Promise<Result<SessionId | 'all', Fault>> {
  if (wanted === undefined) return ok('all')
  const found = await findSession(engine, wanted)
  return found.ok ? ok(found.value.id) : found
}

/** A pipe or a file gets the exact bytes. A terminal gets nothing that it could take for a command. */
async function print({ stdout }: Terminal, { pieces, mediaType }: Exported): Promise<void> {
  const shown = stdout.isTTY === true ? shownOn(mediaType) : EXACTLY
  for await (const piece of pieces) {
    if (stdout.destroyed) return
    await written(stdout, shown.write(piece))
  }
  await written(stdout, shown.end())
}

const EXACTLY: TerminalEscaper = { write: piece => piece, end: () => '' }

/** JSON can write a character as its number without changing the meaning. */
const shownOn = (mediaType: string): TerminalEscaper =>
  mediaType.startsWith('application/json') ? { ...EXACTLY, write: escapeJsonForTerminal } : createTerminalEscaper()

/** Overwrites a file only if the person said so, and only when the new one is complete. Only the owner may read it. */
async function save(target: string, { pieces }: Exported, isForced: boolean): Promise<void> {
  const path = isForced ? `${target}.${process.pid}.part` : target
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const piece of pieces) await file.appendFile(piece)
    await file.close()
    if (isForced) await rename(path, target)
  } catch (cause) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    throw cause
  }
}

/** Writes at the reader's pace, and stops waiting when the reader is gone. */
const written = (stream: Writable, piece: string): Promise<void> =>
  new Promise((done, failed) => {
    const fail = (cause: Error): void => failed(cause)
    stream.once('error', fail)
    stream.write(piece, cause => {
      stream.off('error', fail)
      if (cause) failed(cause)
      else done()
    })
  })

function troubleWith(target: string, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException
  if (code === undefined) throw cause
  if (code === 'EEXIST') return `${target} exists already and is left as it is; choose another name, or add --force`
  if (code === 'ENOENT') return `there is no folder for ${target}; make it first`
  return `${target} cannot be written (${code}); choose another place`
}
