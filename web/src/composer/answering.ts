// Which voices answer in the open session, or in the new one.
import type { State } from '../store/state.ts'
import type { NewSessionFor } from '../wire/client.ts'

type Known = Pick<State, 'names' | 'councils' | 'whom' | 'session' | 'about'>

/** The voices that answer in the open session, or in the new one; null while they are unknown. */
export function answeringVoices({ names, whom, session, about }: Known): NewSessionFor | null {
  const [first] = Object.keys(names)
  if (session === null) return whom ?? (first === undefined ? null : { agent: first })
  if (about === null) return null
  if (about.council !== null) return { council: about.council }
  const agent = about.agent ?? first
  return agent === undefined ? null : { agent }
}

/** Whether the workspace has them; until its agents were read, it is taken to. */
export function isThere({ names, councils }: Pick<Known, 'names' | 'councils'>, whom: NewSessionFor): boolean {
  if (Object.keys(names).length === 0) return true
  return 'council' in whom ? councils.some(({ key }) => key === whom.council) : Object.hasOwn(names, whom.agent)
}
