/** The backup command. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { complain, print, type Terminal } from '../output/terminal.ts'
import { reading } from './reading.ts'

const USE_PG_DUMP =
  'the store is PostgreSQL, which has backups of its own: use pg_dump, or point-in-time recovery (docs/scale.md)'

/** Copies the database, even while a gateway runs, into a file that must not exist yet. */
export function backupCommand(terminal: Terminal, file: string, { json }: { readonly json?: boolean }): Promise<number> {
  const target = resolve(file)
  return reading(terminal, async (engine, { shared }) => {
    if (shared !== undefined) return complain(terminal, USE_PG_DUMP)
    const reserved = reserve(target)
    if (reserved !== undefined) return complain(terminal, reserved)
    const copied = await engine.backup(target)
    if (!copied.ok) {
      rmSync(target, { force: true })
      return complain(terminal, copied.fault.message)
    }
    const bytes = statSync(target).size
    print(
      terminal,
      json === true
        ? jsonForTerminal({ file: target, bytes })
        : `${escapeToOneLine(target)} has a copy of everything (${size(bytes)})`,
    )
    return 0
  })
}

/** Creates the file before copying: this never overwrites a file, and only the owner may read the copy. */
function reserve(target: string): string | undefined {
  try {
    closeSync(openSync(target, 'wx', 0o600))
    return undefined
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') return `${target} exists already and is left as it is; choose another name`
    if (code === 'ENOENT') return `there is no folder for ${target}; make it first`
    return `${target} cannot be written (${code}); choose another place`
  }
}

const size = (bytes: number): string =>
  bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`
