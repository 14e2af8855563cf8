import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '../../support/gateway.ts'

/** Worth packing. */
export const LARGE_SCRIPT: string = 'void 0;\n'.repeat(500)

/** A built page, as small as one can be. */
export function pageFolder(t: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-page-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Turnwise</title>')
  writeFileSync(join(folder, 'assets', 'app-1a2b.js'), 'void 0')
  writeFileSync(join(folder, 'assets', 'large-3c4d.js'), LARGE_SCRIPT)
  return folder
}
