// Orders the palette's entries, and remembers the ones used last.
import type { ShortcutAction } from '../../parts/keys.ts'
import { type CommandChoices, PAGE_COMMANDS, type PageCommand } from '../../store/commands.ts'
import type { State } from '../../store/state.ts'
import type { LocalStore } from '../../wire/local-storage.ts'
import { type Match, match } from './match.ts'

/** Something that can be found in the palette. */
export type PaletteEntry = {
  /** The same for the same thing, also tomorrow. */
  readonly key: string
  readonly kind: 'Conversation' | 'Action' | 'Page' | 'Message'
  readonly words: string
  /** Shown below the words; what a search found in a message. */
  readonly detail?: string
  /** The shortcut that does the same. */
  readonly action?: ShortcutAction
  /** Offered only when the person types its words, because there may be many like it. */
  readonly rare?: true
  readonly run: () => void
}

/** Commands that the palette has under words, and with keys, of its own. */
const OTHERWISE: readonly string[] = ['new', 'stop', 'rename', 'help']

/** The commands of the message box that mean something now; one that takes a choice is an entry for each. */
export function commandEntries(
  state: State,
  choices: CommandChoices,
  give: (command: PageCommand, argument: string) => void,
): readonly PaletteEntry[] {
  return PAGE_COMMANDS.filter(({ name, fits }) => !OTHERWISE.includes(name) && fits(state)).flatMap(
    (command): readonly PaletteEntry[] => {
      const { name, words, takes } = command
      if (takes === undefined || takes === 'title')
        return [{ key: `/${name}`, kind: 'Action', words, run: () => give(command, '') }]
      return choices[takes].map(choice => ({
        ...{ key: `/${name} ${choice.value}`, kind: 'Action', words: `${words}: ${choice.words}`, rare: true },
        run: () => give(command, choice.value),
      }))
    },
  )
}

export type Ranked = PaletteEntry & { readonly at: readonly number[] }

/** How many of a kind are listed before anything is typed, and how many are ever shown. */
const FIRST_CONVERSATIONS = 6
const MOST = 40

/** What was typed, best first. Where nothing was, what was used last comes first, then everything in its own order. */
export function rank(entries: readonly PaletteEntry[], query: string, recent: readonly string[]): readonly Ranked[] {
  if (query.trim() === '') return unasked(entries, recent)
  const found = entries.flatMap((entry, index) => {
    const hit = match(query, entry.words)
    return hit === null ? [] : [{ entry, hit, score: hit.score + bonus(entry, recent), index }]
  })
  found.sort((a, b) => b.score - a.score || a.index - b.index)
  return found.slice(0, MOST).map(({ entry, hit }) => withPlaces(entry, hit))
}

/** Of two that answer equally well, the one that was used lately is more likely meant. */
const bonus = ({ key }: PaletteEntry, recent: readonly string[]): number => (recent.includes(key) ? 1 : 0)

function unasked(entries: readonly PaletteEntry[], recent: readonly string[]): readonly Ranked[] {
  const usual = entries.filter(({ rare, key }) => rare !== true || recent.includes(key))
  const place = (entry: PaletteEntry): number => {
    const at = recent.indexOf(entry.key)
    return at < 0 ? recent.length : at
  }
  const conversations = usual.filter(({ kind }) => kind === 'Conversation').slice(0, FIRST_CONVERSATIONS)
  const others = usual.filter(({ kind }) => kind !== 'Conversation').toSorted((a, b) => place(a) - place(b))
  return [...conversations, ...others].map(entry => withPlaces(entry, null))
}

const withPlaces = (entry: PaletteEntry, hit: Match | null): Ranked => ({ ...entry, at: hit?.at ?? [] })

const RECENT = 8

/** What was chosen in the palette lately, the last first. */
export function recentOf(localStore: LocalStore): readonly string[] {
  return (localStore.read('palette') ?? '').split('\n').filter(key => key !== '')
}

export function remember(localStore: LocalStore, key: string): void {
  const others = recentOf(localStore).filter(other => other !== key)
  localStore.write('palette', [key, ...others].slice(0, RECENT).join('\n'))
}
