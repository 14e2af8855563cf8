// Files of conversations into an empty database, all or none: how fast, in how much memory, and how long anybody else waits.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FILES, type FileOf, writeFile } from './import-files.ts'
import { markdown, type Report, type Row, report, scaleOf } from './measure.ts'

const ONCE = fileURLToPath(new URL('import-once.ts', import.meta.url))

const asked = scaleOf(process.argv)
/** An import is long enough to be measured once. */
const scale = { ...asked, small: asked.quick ? 500 : 100_000, large: asked.quick ? 500 : 1_000_000, rounds: 1, goes: 1 }
const lengths = [...new Set([scale.small, scale.large])]
const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-import-'))

try {
  await report('import', scale, rowsOfAll, { ratios, table })
} finally {
  rmSync(folder, { recursive: true })
}

async function rowsOfAll(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const kind of FILES) for (const messages of lengths) rows.push(...(await rowsOf(kind, messages)))
  return rows
}

/** Milliseconds of the whole import and of the longest pause; mebibytes of the file and of what memory grew by. */
async function rowsOf(kind: FileOf, messages: number): Promise<readonly Row[]> {
  const [file, database] = [join(folder, 'file'), join(folder, 'turnwise.db')]
  await writeFile(file, kind, messages)
  const printed = execFileSync(process.execPath, [ONCE, file, database], { encoding: 'utf8' })
  const found = JSON.parse(printed) as Readonly<Record<'messages' | 'ms' | 'grewMb' | 'pauseMs', number>>
  if (found.messages !== messages) throw new Error(`${found.messages} of ${messages} messages of ${kind} came in`)
  const fileMb = statSync(file).size / 2 ** 20
  for (const name of [file, database, `${database}-wal`, `${database}-shm`]) rmSync(name, { force: true })
  return [
    rowOf(`${kind}: import`, messages, found.ms, (messages * 1000) / found.ms),
    rowOf(`${kind}: longest pause`, messages, found.pauseMs),
    rowOf(`${kind}: file, MB`, messages, fileMb),
    rowOf(`${kind}: memory grew, MB`, messages, found.grewMb),
  ]
}

function rowOf(what: string, messages: number, value: number, perSecond?: number): Row {
  const row = { what, messages, p50: value, p99: value, rounds: [[value]] }
  return perSecond === undefined ? row : { ...row, perSecond }
}

/** Ten times as many messages should take ten times as long, and no more memory. */
function ratios(rows: readonly Row[]): Report['ratios'] {
  return rows.flatMap(row => {
    const short = rows.find(({ what, messages }) => what === row.what && messages === scale.small)
    if (row.messages !== scale.large || short === undefined || short === row) return []
    const ratio = row.p50 / short.p50
    return [{ what: row.what, p50: ratio, p99: ratio }]
  })
}

function table({ rows }: Report): readonly string[] {
  const value = (what: string, messages: number): Row | undefined =>
    rows.find(row => row.what === what && row.messages === messages)
  const shown = FILES.flatMap(kind =>
    lengths.map(messages => [
      kind,
      messages.toLocaleString('en'),
      (value(`${kind}: file, MB`, messages)?.p50 ?? 0).toFixed(1),
      ((value(`${kind}: import`, messages)?.p50 ?? 0) / 1000).toFixed(1),
      Math.round(value(`${kind}: import`, messages)?.perSecond ?? 0).toLocaleString('en'),
      (value(`${kind}: memory grew, MB`, messages)?.p50 ?? 0).toFixed(0),
      (value(`${kind}: longest pause`, messages)?.p50 ?? 0).toFixed(1),
    ]),
  )
  return markdown(['', 'messages', 'file MB', 'seconds', 'messages/s', 'memory grew MB', 'longest pause ms'], shown)
}
