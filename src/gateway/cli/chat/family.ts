// Draws a session and its forks as a tree.
import type { Session } from '../../../engine.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import { ago, counted, fitted } from '../output/phrase.ts'

/** Draws a session and its forks as a small tree, numbered in the order of the list. A star marks the current session. */
export function familyLines(sessions: readonly Session[], here: string, ink: Ink, columns: number): readonly string[] {
  const ids = new Set<string>(sessions.map(({ id }) => id))
  const isChildOf = (session: Session, parent: Session | undefined): boolean =>
    parent === undefined ? !ids.has(session.parent?.session ?? '') : session.parent?.session === parent.id
  const below = (parent: Session | undefined, indent: string): readonly string[] => {
    const children = sessions
      .filter(session => isChildOf(session, parent))
      .sort((a, b) => (a.parent?.at ?? 0) - (b.parent?.at ?? 0) || a.createdAt.localeCompare(b.createdAt))
    return children.flatMap((child, index) => {
      const isLast = index === children.length - 1
      const branch = parent === undefined ? '' : `${indent}${isLast ? '└─ ' : '├─ '}`
      const next = parent === undefined ? '' : `${indent}${isLast ? '   ' : '│  '}`
      return [line(child, branch), ...below(child, next)]
    })
  }
  const line = (session: Session, branch: string): string => {
    const number = String(sessions.indexOf(session) + 1).padStart(3)
    const since = session.parent === undefined ? '' : `from seq ${session.parent.at}, `
    const facts = `${since}${counted(session.messages, 'message')}, ${ago(session.updatedAt, Date.now())}`
    const room = Math.max(12, columns - branch.length - facts.length - 10)
    const words = fitted(escapeToOneLine(session.title ?? session.preview ?? '') || '(empty)', room)
    return `${session.id === here ? '*' : ' '}${ink.name(number)}  ${branch}${words}  ${ink.dim(facts)}`
  }
  return below(undefined, '')
}
