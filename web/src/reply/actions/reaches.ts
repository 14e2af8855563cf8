// Works out how far a pin may reach.
import type { Reach } from '../../../../src/model/event.ts'
import type { Session } from '../../../../src/model/session.ts'

/** How far a pin of a chat may reach: nothing of a council's or a private chat goes into another one. */
export function reachesFrom(about: Pick<Session, 'council' | 'private' | 'project'> | null): readonly Reach[] {
  if (about === null || about.council !== null || about.private === true) return ['session']
  return about.project === null ? ['session', 'everywhere'] : ['session', 'project', 'everywhere']
}
