/** The names and colors of agents and advisors. */
import type { Session } from '../../../src/model/session.ts'
import { type Advisor, type Council, FOLD, SYNTHESIS } from '../../../src/model/settings/council.ts'

/** What names are looked up in. */
export type KnownVoices = {
  readonly about: Session | null
  /** Names of agents by their keys. */
  readonly names: Readonly<Record<string, string>>
  readonly councils: readonly Council[]
}

/** The council of the conversation in the middle, as it is now. */
export const openCouncil = ({ about, councils }: Pick<KnownVoices, 'about' | 'councils'>): Council | undefined =>
  councils.find(({ key }) => key === about?.council)

/** An advisor's id is unique only within its council: another council may have the same id. */
export const advisorOf = (known: Pick<KnownVoices, 'about' | 'councils'>, id: string): Advisor | undefined =>
  openCouncil(known)?.advisors.find(advisor => advisor.id === id)

/** What a voice is called: by its name now, else by the one it had then, else by its key. */
export function shownVoiceName(
  known: KnownVoices,
  { voice, name }: { readonly voice: string; readonly name: string | null },
): string {
  if (voice === SYNTHESIS) return 'Synthesis'
  if (voice === FOLD) return 'Summary'
  const { about, names } = known
  const agent = (about?.council ?? null) !== null || !Object.hasOwn(names, voice) ? undefined : names[voice]
  return advisorOf(known, voice)?.name ?? agent ?? name ?? asWords(voice)
}

/** A voice's own color, for an advisor within its council; undefined if it has none. */
export function colorOf(
  known: Pick<KnownVoices, 'about' | 'councils'> & { readonly colors: Readonly<Record<string, string>> },
  voice: string,
): string | undefined {
  if ((known.about?.council ?? null) !== null) return advisorOf(known, voice)?.color
  return Object.hasOwn(known.colors, voice) ? known.colors[voice] : undefined
}

/** A key as a name: `chief-editor` becomes `Chief editor`. */
function asWords(key: string): string {
  const words = key.replaceAll(/[-_]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
