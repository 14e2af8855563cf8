// Runs test/walk.test.ts under V8 coverage and lists the source files in which a function ran.
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

type Range = { readonly startOffset: number; readonly count: number }

type Coverage = {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly functionName: string; readonly ranges: readonly Range[] }[]
  }[]
}

/** The files that one run of the walk touched. */
export type WalkCoverage = {
  readonly loaded: readonly string[]
  /** Files in which at least one function was called, in any thread, from the start of the gateway to its end. */
  readonly executed: readonly string[]
  /** Those that the main thread ran between the request with the message and the last frame of its answer. */
  readonly message: readonly string[]
}

/** Runs the walk once in the given tree. Throws if the walk itself fails. */
export function coverTheWalk(root = '.'): WalkCoverage {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-walk-coverage-'))
  try {
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const ran = spawnSync(process.execPath, ['test/walk.test.ts'], {
      cwd: root,
      env: { ...environment, NODE_V8_COVERAGE: folder },
      encoding: 'utf8',
    })
    if (ran.status !== 0) throw new Error(`the walk failed\n${ran.stdout}${ran.stderr}`)
    const source = resolve(root, 'src')
    const loaded = new Set<string>()
    const executed = new Set<string>()
    const message = new Set<string>()
    // A report's name has process, time and thread. The main thread writes one for the start, the message and the end.
    const reports = globSync('*.json', { cwd: folder }).sort()
    const ofTheMessage = reports.filter(name => name.endsWith('-0.json'))[1]
    for (const report of reports) {
      const { result } = JSON.parse(readFileSync(join(folder, report), 'utf8')) as Coverage
      for (const { url, functions } of result) {
        if (!url.startsWith('file:')) continue
        const path = fileURLToPath(url)
        if (!path.startsWith(`${source}/`)) continue
        const file = relative(resolve(root), path)
        loaded.add(file)
        // The function without a name at the beginning of a file is the module itself, which runs when the file is loaded.
        if (functions.some(isCalled)) {
          executed.add(file)
          if (report === ofTheMessage) message.add(file)
        }
      }
    }
    return { loaded: [...loaded].sort(), executed: [...executed].sort(), message: [...message].sort() }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function isCalled({
  functionName,
  ranges: [whole],
}: {
  readonly functionName: string
  readonly ranges: readonly Range[]
}): boolean {
  if (whole === undefined || (functionName === '' && whole.startOffset === 0)) return false
  return whole.count > 0
}
