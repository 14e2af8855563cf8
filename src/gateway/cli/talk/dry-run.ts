// Prints what would be sent, without sending it.
import type { DryRun, Engine, SentContext } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { Result } from '../../../model/result.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { whyPage } from '../context/receipt-page.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { findSession } from '../sessions/find-session.ts'
import type { OutgoingText } from './answering-engine.ts'
import { informed, readingEngine, statelessEngine } from './own-engine.ts'

export type DryRunOptions = OutgoingText & { readonly session?: string; readonly agent?: string; readonly json?: boolean }

/** Prints the exact bytes that this message would send. It sends and stores nothing. */
export async function dryRunCommand(terminal: Terminal, workspace: Workspace, options: DryRunOptions): Promise<number> {
  const context = await wouldSend(terminal, workspace, options)
  if (!context.ok) return complain(terminal, context.fault.message)
  if (options.json === true) {
    print(terminal, jsonForTerminal(context.value))
    return 0
  }
  const { request } = context.value
  const ink = inkFor(terminal.stdout, terminal.environment)
  printPage(terminal, ...whyPage({ title: 'What would be sent; nothing was', context: context.value, ink }), '')
  print(terminal, ink.bold(`Request to ${request?.url ?? 'no provider'}`), jsonForTerminal(request?.body, 2))
  return 0
}

async function wouldSend(
  { environment }: Terminal,
  workspace: Workspace,
  { text, parts = [], session, agent, sampling, maxTokens, json }: DryRunOptions,
): Promise<Result<SentContext, Fault>> {
  // The page quotes what would be recalled, so it needs the texts.
  const settings = {
    ...(json === true ? {} : { items: true }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  }
  if (session === undefined) {
    const engine = await informed(statelessEngine(workspace, environment))
    const opened = await engine.open(agent === undefined ? {} : { agent })
    return opened.ok ? engine.wouldSend(opened.value.id, { text, parts, ...settings }) : opened
  }
  const engine = await readingEngine(workspace, environment)
  if (!engine.ok) return engine
  const context = await within(engine.value, session, { text, parts, ...settings, ...(agent === undefined ? {} : { agent }) })
  await engine.value.close(0)
  return context
}

async function within(engine: Engine, wanted: string, saying: DryRun): Promise<Result<SentContext, Fault>> {
  const session = await findSession(engine, wanted)
  return session.ok ? engine.wouldSend(session.value.id, saying) : session
}
