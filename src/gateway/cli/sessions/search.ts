/** The search command. */
import { openEngine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { SessionHit } from '../../../model/session.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { ago, fitted } from '../output/phrase.ts'
import { complain, MISUSED, print, type Terminal } from '../output/terminal.ts'
import type { Verbs } from '../talk/answering-engine.ts'
import { attached, runningGateway } from '../talk/attached.ts'
import { readingEngine } from '../talk/own-engine.ts'

const PAGE = 100
/** The most hits to list; people do not read more. */
const MOST = 500

/** Lists the sessions that contain the words, with the text around them and their seqs. */
export async function searchCommand(terminal: Terminal, words: string, { json }: { readonly json?: boolean }): Promise<number> {
  if (words.trim() === '') return complain(terminal, 'say what to look for, as in turnwise search "spring"', MISUSED)
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const found = await searching(workspace.value, terminal, sessions => hits(sessions, words))
  if (!found.ok) return complain(terminal, found.fault.message)
  if (json === true) print(terminal, jsonForTerminal({ items: found.value }))
  else if (found.value.length === 0) print(terminal, 'Nothing was found.')
  else print(terminal, ...found.value.flatMap(hit => lines(terminal, hit)))
  return 0
}

/**
 * The writer has indexed every word. If another command without HTTP is the writer, a read-only engine knows all but the newest
 * words.
 */
async function searching<Value>(
  workspace: Workspace,
  { environment }: Terminal,
  use: (sessions: Verbs['sessions']) => Promise<Result<Value, Fault>>,
): Promise<Result<Value, Fault>> {
  const gateway = await runningGateway(workspace.home)
  if (gateway !== undefined) return use(attached(gateway).verbs.sessions)
  // A search must not create a database that does not exist yet.
  const known = await readingEngine(workspace, environment)
  if (!known.ok) return known
  // A store that several nodes share gives the same words to every reader.
  if (workspace.shared !== undefined) {
    const found = await use(known.value.sessions)
    await known.value.close(0)
    return found
  }
  const writing = await openEngine(workspace.database)
  const found = await use(writing.ok ? writing.value.sessions : known.value.sessions)
  if (writing.ok) await writing.value.close(0)
  await known.value.close(0)
  return found
}

async function hits(sessions: Verbs['sessions'], query: string): Promise<Result<readonly SessionHit[], Fault>> {
  const all: SessionHit[] = []
  for (let cursor: string | null | undefined; cursor !== null && all.length < MOST; ) {
    const page = await sessions({ query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    if (!page.ok) return page
    all.push(...page.value.items)
    cursor = page.value.next
  }
  return ok(all)
}

function lines({ stdout, environment }: Terminal, hit: SessionHit): readonly string[] {
  const ink = inkFor(stdout, environment)
  const room = stdout.isTTY === true ? Math.max(20, (stdout.columns ?? 80) - 2) : Number.POSITIVE_INFINITY
  const place = hit.seq === undefined ? '' : ` seq ${hit.seq}`
  const name = escapeToOneLine(hit.title ?? hit.preview ?? '') || '(empty)'
  const head = `${ink.name(hit.id)}${place}  ${ink.dim(ago(hit.updatedAt, Date.now()))}`
  return [head, `  ${fitted(hit.snippet === undefined ? name : escapeToOneLine(hit.snippet), room)}`]
}
