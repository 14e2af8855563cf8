import { readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import type { Rules } from '../engine.ts'
import { ok } from '../model/result.ts'
import { parseJsonc } from './jsonc.ts'
import { writeWorkspaceFile } from './workspace-file.ts'

const HEADER = '// Tools that run without asking, because a person answered "always". Take one out to be asked again.\n'

const schema: z.ZodType<{ readonly always: readonly string[] }> = z.strictObject({ always: z.array(z.string()) })

/** What a person allowed for good, in a file of the workspace that people can read and change. */
export function approvalRules(file: string): Rules {
  let stamp = ''
  let tools: readonly string[] = []
  /** A file that is wrong allows nothing. */
  const look = (): readonly string[] => {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    const seen = found === undefined ? '' : `${found.mtimeNs} ${found.size} ${found.ino}`
    if (seen !== stamp) {
      stamp = seen
      tools = found === undefined ? [] : read(file)
    }
    return tools
  }
  return {
    isAlways: tool => look().includes(tool),
    remember: async tool => {
      const always = [...new Set([...look(), tool])].sort()
      const text = `${HEADER}${JSON.stringify({ always }, null, 2)}\n`
      const written = await writeWorkspaceFile(dirname(file), basename(file), text)
      return written.ok ? ok(null) : written
    },
  }
}

function read(file: string): readonly string[] {
  const text = textOf(file)
  const given = parseJsonc(text)
  const parsed = given.ok ? schema.safeParse(given.value) : undefined
  return parsed?.success === true ? parsed.data.always : []
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
