// The grants command.
import { type KeptGrant, openEngine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { engineOptions } from '../../workspace-engine.ts'
import { approvalLines } from '../output/approval-lines.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { findWriter } from '../talk/answering-engine.ts'
import { gatewayCall } from '../talk/attached.ts'
import { readingEngine } from '../talk/own-engine.ts'

export type GrantsOptions = { readonly revoke?: string; readonly json?: boolean }

/** Lists what people allowed tools to do, for one session or permanently, or revokes one of those grants. */
export async function grantsCommand(terminal: Terminal, { revoke, json }: GrantsOptions): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  if (revoke !== undefined) {
    const revoked = await takenBack(terminal, workspace.value, revoke)
    if (!revoked.ok) return complain(terminal, revoked.fault.message)
    if (json === true) print(terminal, jsonForTerminal({ revoked: revoke }))
    return 0
  }
  const engine = await readingEngine(workspace.value, terminal.environment)
  if (!engine.ok) return complain(terminal, engine.fault.message)
  const grants = await engine.value.grants()
  await engine.value.close(0)
  if (!grants.ok) return complain(terminal, grants.fault.message)
  if (json === true) print(terminal, jsonForTerminal({ items: grants.value }))
  else printGrants(terminal, grants.value)
  return 0
}

function printGrants(terminal: Terminal, grants: readonly KeptGrant[]): void {
  const { dim } = inkFor(terminal.stdout, terminal.environment)
  for (const { id, tool, session, at, facts } of grants) {
    const where = session === null ? 'always' : `in ${escapeToOneLine(session)}`
    printPage(
      terminal,
      `${escapeToOneLine(id)}  ${escapeToOneLine(tool)}, ${where}, since ${escapeToOneLine(at)}`,
      ...approvalLines(facts).map(dim),
    )
  }
  printPage(terminal, dim(grants.length === 0 ? '  nothing is granted' : '  turnwise grants --revoke <id>'))
}

type Revoker = {
  readonly revoke: (id: string) => Promise<Result<unknown, Fault>>
  readonly close: () => Promise<void>
}

/** The running gateway does it, or this process if none is running. */
async function takenBack(terminal: Terminal, workspace: Workspace, id: string): Promise<Result<unknown, Fault>> {
  const writer = await findWriter<Revoker>(workspace, {
    abort: new AbortController().signal,
    attached: gateway => ({
      revoke: grant => gatewayCall(gateway, 'DELETE', `/grants/${encodeURIComponent(grant)}`),
      close: async () => {},
    }),
    own: async () => {
      const engine = await openEngine(workspace.database, engineOptions(workspace, terminal.environment))
      return engine.ok ? ok({ revoke: engine.value.revoke, close: () => engine.value.close(0) }) : engine
    },
  })
  if (!writer.ok) return writer
  try {
    return await writer.value.revoke(id)
  } finally {
    await writer.value.close()
  }
}
