// The sessions command.
import type { Session } from '../../../engine.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { ago, figure, fitted } from '../output/phrase.ts'
import { complain, print, type Terminal } from '../output/terminal.ts'
import { everySession } from './find-session.ts'
import { reading } from './reading.ts'

/** For people, enough of an id to copy; for programs, the whole id. */
const SHORT_ID = 'ses_'.length + 8

/** Lists the sessions, newest first. */
export function sessionsCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  return reading(terminal, async engine => {
    const sessions: Session[] = []
    for await (const session of everySession(engine)) {
      if (!session.ok) return complain(terminal, session.fault.message)
      sessions.push(session.value)
    }
    if (json === true) print(terminal, jsonForTerminal({ items: sessions }))
    else if (sessions.length === 0) print(terminal, 'No sessions yet. turnwise ask "hello" begins one.')
    else print(terminal, ...table(terminal, sessions))
    return 0
  })
}

function table({ stdout, environment }: Terminal, sessions: readonly Session[]): readonly string[] {
  const ink = inkFor(stdout, environment)
  const now = Date.now()
  const rows = sessions.map(session => ({
    id: stdout.isTTY === true ? session.id.slice(0, SHORT_ID) : session.id,
    when: ago(session.updatedAt, now),
    messages: figure(session.messages),
    name: escapeToOneLine(session.title ?? session.preview ?? '') || '(empty)',
  }))
  const width = (of: 'id' | 'when' | 'messages'): number => Math.max(...rows.map(row => row[of].length))
  const [id, when, messages] = [width('id'), width('when'), width('messages')]
  const room = stdout.isTTY === true ? Math.max(10, (stdout.columns ?? 80) - id - when - messages - 6) : Number.POSITIVE_INFINITY
  return rows.map(row =>
    [
      ink.name(row.id.padEnd(id)),
      ink.dim(row.when.padEnd(when)),
      ink.dim(row.messages.padStart(messages)),
      fitted(row.name, room),
    ].join('  '),
  )
}
