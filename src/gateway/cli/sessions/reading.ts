// Gives a command a read-only engine and closes it.
import type { Engine } from '../../../engine.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { complain, type Terminal } from '../output/terminal.ts'
import { readingEngine } from '../talk/own-engine.ts'

/** Opens a read-only engine for a command, with or without a running gateway, and closes it afterwards. */
export async function reading(
  terminal: Terminal,
  use: (engine: Engine, workspace: Workspace) => Promise<number>,
): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  return workspace.ok ? readingIn(terminal, workspace.value, use) : complain(terminal, workspace.fault.message)
}

/** The same for a workspace that is already open. */
export async function readingIn(
  terminal: Terminal,
  workspace: Workspace,
  use: (engine: Engine, workspace: Workspace) => Promise<number>,
): Promise<number> {
  const engine = await readingEngine(workspace, terminal.environment)
  if (!engine.ok) return complain(terminal, engine.fault.message)
  try {
    return await use(engine.value, workspace)
  } finally {
    await engine.value.close(0)
  }
}
