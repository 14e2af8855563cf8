import type { Engine } from '../../engine.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { readingEngine } from './own-engine.ts'
import { complain, type Terminal } from './terminal.ts'

/** Lends a command an engine that only reads, beside a running gateway or without one, and closes it afterwards. */
export async function reading(
  terminal: Terminal,
  use: (engine: Engine, workspace: Workspace) => Promise<number>,
): Promise<number> {
  const workspace = openWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const engine = await readingEngine(workspace.value, terminal.environment)
  if (!engine.ok) return complain(terminal, engine.fault.message)
  try {
    return await use(engine.value, workspace.value)
  } finally {
    await engine.value.close(0)
  }
}
