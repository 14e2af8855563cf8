import fs, { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { SkillSetting } from '../../src/skill/skill.ts'

export type Workspace = {
  readonly home: string
  readonly setting: SkillSetting
  /** Writes a file by its path in the workspace, with its folders. */
  readonly write: (path: string, content: string | Uint8Array) => void
}

/** A folder of skills that is gone after the test. */
export function workspace(t: TestContext, over: Partial<SkillSetting> = {}): Workspace {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'turnwise-skills-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return {
    home,
    setting: { directory: join(home, 'skills'), extraDirs: [], disabled: [], path: '', ...over },
    write: (path, content) => {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), content)
    },
  }
}

/** A skill as people write them. */
export const skillText = (name: string, description: string, body: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`

type Functions = Record<string, (...args: never[]) => unknown>

/** Runs something while functions of `node:fs` are others, for every module that imports them. */
export async function withFs(given: (original: Functions) => Functions, work: () => unknown, table: object = fs): Promise<void> {
  const functions = Object.entries(Object.getOwnPropertyDescriptors(table)).flatMap(([name, { value }]) =>
    typeof value === 'function' ? [[name, value]] : [],
  )
  const original: Functions = Object.fromEntries(functions)
  Object.assign(table, given(original))
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    Object.assign(table, original)
    syncBuiltinESMExports()
  }
}

/** Which functions of `node:fs` were called, with their first arguments, while something ran. */
export async function callsTo(work: () => unknown): Promise<readonly string[]> {
  const calls: string[] = []
  const spied = (functions: Functions): Functions =>
    Object.fromEntries(
      Object.entries(functions)
        .filter(([name]) => !/^[A-Z_]/.test(name))
        .map(([name, original]) => {
          const spy = (...args: never[]): unknown => {
            calls.push(`${name} ${String(args[0])}`)
            return original(...args)
          }
          return [name, Object.assign(spy, original)]
        }),
    )
  await withFs(spied, () => withFs(spied, work, fs.promises))
  return calls
}
