// Names an exported file.
import type { Session } from '../../model/session.ts'
import { slugOf } from '../../model/settings/slug.ts'
import { exportTitle } from './conversation-words.ts'

/** A name for an exported file that people recognize and every system accepts. */
export function fileNameOf(session: Session, ending: string): string {
  const slug = slugOf(exportTitle(session).slice(0, 200))
  return `turnwise-${slug === '' ? '' : `${slug}-`}${session.id}.${ending}`
}
