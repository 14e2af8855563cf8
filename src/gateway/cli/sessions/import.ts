// The import command.
import { IMPORT_FORMATS } from '../../../archive/input/found.ts'
import { type ImportFormat, type ImportProgress, type ImportReport, openEngine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { GatewayAddress, Workspace } from '../../workspace/workspace.ts'
import { engineOptions } from '../../workspace-engine.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { counted, figure, fileSize } from '../output/phrase.ts'
import { complain, MISUSED, print, printPage, type Terminal } from '../output/terminal.ts'
import { findWriter } from '../talk/answering-engine.ts'
import { hearInterrupts } from '../talk/interrupts.ts'
import { bytesAt, type ImportSource } from './import-files.ts'
import { sendFile } from './import-sent.ts'

export type ImportOptions = { readonly format?: string; readonly json?: boolean }

/** Imports the bytes of a file, with an engine in this process or through the running gateway. */
export type FileImporter = {
  readonly importFile: (bytes: AsyncIterable<Uint8Array>, wish: ImportWish) => Promise<Result<ImportReport, Fault>>
  readonly close: () => Promise<void>
}

export type ImportWish = {
  readonly format?: ImportFormat
  readonly abort: AbortSignal
  readonly onProgress: (progress: ImportProgress) => void
}

/** Imports all conversations of a file or a folder, or none of them. */
export async function importCommand(terminal: Terminal, path: string, options: ImportOptions): Promise<number> {
  const format = IMPORT_FORMATS.find(known => known === options.format)
  if (options.format !== undefined && format === undefined)
    return complain(terminal, `--format must be one of ${IMPORT_FORMATS.join(', ')}`, MISUSED)
  const incoming = await bytesAt(path, terminal.stdin)
  if (!incoming.ok) return complain(terminal, incoming.fault.message)
  const workspace = await enterWorkspace(terminal.environment, { create: true })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const interrupts = hearInterrupts()
  try {
    const importer = await findImporter(terminal, workspace.value, interrupts.signal)
    if (!importer.ok) return complain(terminal, importer.fault.message)
    const imported = await runImport(terminal, importer.value, incoming.value, {
      ...(format === undefined ? {} : { format }),
      abort: interrupts.signal,
    })
    if (!imported.ok && interrupts.signal.aborted)
      return complain(terminal, 'the import was stopped; nothing was imported', interrupts.signal.reason)
    if (!imported.ok) return complain(terminal, `${incoming.value.placed(imported.fault.message)}; nothing was imported`)
    if (options.json === true) print(terminal, jsonForTerminal(imported.value))
    else printPage(terminal, ...reportOf(imported.value))
    return 0
  } finally {
    interrupts.stop()
  }
}

async function runImport(
  terminal: Terminal,
  importer: FileImporter,
  { bytes }: ImportSource,
  wish: Omit<ImportWish, 'onProgress'>,
): Promise<Result<ImportReport, Fault>> {
  const progress = progressOn(terminal)
  try {
    return await importer.importFile(bytes(), { ...wish, onProgress: progress.tell })
  } finally {
    progress.clear()
    await importer.close()
  }
}

/** No gateway indexes what came in, so a file of up to so many messages is indexed for recall at once: a second or two. */
const MOST_INDEXED = 5000

/** Becomes the writer, or uses the gateway that is. An import does not recover turns that a crash left open. */
const findImporter = (terminal: Terminal, workspace: Workspace, abort: AbortSignal): Promise<Result<FileImporter, Fault>> =>
  findWriter<FileImporter>(workspace, {
    abort,
    attached: (gateway: GatewayAddress) => ({
      importFile: (bytes, wish) => sendFile(gateway, bytes, wish),
      close: async () => {},
    }),
    own: async () => {
      const engine = await openEngine(workspace.database, engineOptions(workspace, terminal.environment))
      if (!engine.ok) return engine
      const importFile: FileImporter['importFile'] = async (bytes, wish) => {
        const report = await engine.value.import(bytes, wish)
        if (report.ok && report.value.messages <= MOST_INDEXED) for (const id of report.value.ids) await engine.value.index(id)
        return report
      }
      return ok({ importFile, close: () => engine.value.close(0) })
    },
  })

const EVERY_MS = 100

/** A progress line for people who watch. */
function progressOn({ stderr }: Terminal): { readonly tell: (progress: ImportProgress) => void; readonly clear: () => void } {
  let reportedAt = Number.NEGATIVE_INFINITY
  return {
    tell: ({ sessions, messages, bytes }) => {
      if (stderr.isTTY !== true || performance.now() - reportedAt < EVERY_MS) return
      reportedAt = performance.now()
      stderr.write(`\r\x1b[K${counted(sessions, 'session')}, ${counted(messages, 'message')}, ${fileSize(bytes)} …`)
    },
    clear: () => {
      if (reportedAt > 0) stderr.write('\r\x1b[K')
    },
  }
}

function reportOf({ format, sessions, messages, skipped, remarks, ids }: ImportReport): readonly string[] {
  const [only] = ids
  const where = sessions === 1 && only !== undefined ? ` as ${only}` : ''
  return [
    sessions === 0
      ? `Nothing new was imported${skipped === 0 ? ': the file has no conversations' : ''}.`
      : `Imported ${counted(sessions, 'session')} with ${figure(messages)} ${messages === 1 ? 'message' : 'messages'} (${format})${where}.`,
    ...remarks.map(remark => `  ${escapeToOneLine(remark)}`),
  ]
}
