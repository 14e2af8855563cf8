import type { Session } from '../../../src/model/session.ts'
import { SYNTHESIS_MODES, type SynthesisMode } from '../../../src/model/settings/council.ts'
import type { State } from './state.ts'

/** What a command may do: all of it can be done with the pointer as well. */
export type Deeds = {
  readonly get: () => State
  readonly startNew: () => void
  readonly write: (text: string) => void
  readonly resume: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly exchange: () => Promise<void>
  readonly synthesize: (mode: SynthesisMode) => Promise<void>
  readonly rename: (session: Session, title: string) => Promise<void>
  readonly arrange: (changes: Arrangement) => Promise<void>
}

/** Who answers, and with what. */
export type Arrangement = {
  readonly agent?: string
  readonly council?: string
  readonly model?: string | null
  readonly policy?: string
  readonly thinking?: boolean | null
}

/** What there is to choose from; each by what is written, and what people call it. */
export type Choices = Readonly<Record<'agent' | 'council' | 'model' | 'policy' | 'mode', readonly Choice[]>>
export type Choice = { readonly value: string; readonly words: string; readonly color?: string }

export const NO_CHOICES: Choices = { agent: [], council: [], model: [], policy: [], mode: [] }

/** An order to the page, in the field after a `/` or in the palette. */
export type Command = {
  readonly name: string
  readonly words: string
  /** What is written after it, if anything is. */
  readonly takes?: keyof Choices | 'title'
  /** Whether it means anything just now. */
  readonly fits: (state: State) => boolean
  readonly run: (deeds: Deeds, argument: string) => Promise<void> | void
}

const always = (): boolean => true
const inSession = ({ session }: State): boolean => session !== null
const inCouncil = ({ about }: State): boolean => (about?.council ?? null) !== null

export const COMMANDS: readonly Command[] = [
  { name: 'new', words: 'Begin a new conversation', fits: always, run: deeds => deeds.startNew() },
  { name: 'resume', words: 'Go on with what was interrupted', fits: inSession, run: deeds => deeds.resume() },
  { name: 'stop', words: 'Stop what is running', fits: ({ view }) => view.running.length > 0, run: deeds => deeds.stop() },
  {
    name: 'rename',
    words: 'Give this conversation a title',
    takes: 'title',
    fits: inSession,
    run: (deeds, title) => {
      const { about } = deeds.get()
      return about === null ? undefined : deeds.rename(about, title)
    },
  },
  {
    name: 'agent',
    words: 'Choose the agent that answers',
    takes: 'agent',
    fits: always,
    run: (deeds, agent) => deeds.arrange({ agent }),
  },
  {
    name: 'council',
    words: 'Choose the council that answers',
    takes: 'council',
    fits: ({ councils }) => councils.length > 0,
    run: (deeds, council) => deeds.arrange({ council }),
  },
  { name: 'model', words: 'Choose the model', takes: 'model', fits: always, run: (deeds, model) => deeds.arrange({ model }) },
  {
    name: 'policy',
    words: 'Choose what is sent of the past',
    takes: 'policy',
    fits: always,
    run: (deeds, policy) => deeds.arrange({ policy }),
  },
  {
    name: 'synthesis',
    words: 'Bring the last round together',
    takes: 'mode',
    fits: inCouncil,
    run: (deeds, mode) => deeds.synthesize(SYNTHESIS_MODES.find(known => known === mode) ?? 'brief'),
  },
  { name: 'exchange', words: 'Let the advisors answer each other', fits: inCouncil, run: deeds => deeds.exchange() },
  // The sign alone opens the list of all of them.
  { name: 'help', words: 'Show what can be written here', fits: always, run: deeds => deeds.write('/') },
]

/** A command as it was written; null where the text is a message, as is anything that only looks like one. */
export type Order = { readonly command: Command; readonly argument: string }

export function orderIn(text: string): Order | null {
  const [, name, argument = ''] = /^\/([a-z]+)(?:[ \t]+(\S[^\n]*))?\s*$/.exec(text.trim()) ?? []
  const command = COMMANDS.find(known => known.name === name)
  if (command === undefined) return null
  // A word after a command that takes none makes it a message about that word.
  if (command.takes === undefined && argument !== '') return null
  return { command, argument: argument.trim() }
}

/** What is missing of an order before it can be given; null where nothing is. */
export const whyNot = ({ command, argument }: Order): string | null =>
  command.takes === undefined || argument !== '' ? null : `Write /${command.name} and then ${ARGUMENTS[command.takes]}.`

const ARGUMENTS: Readonly<Record<keyof Choices | 'title', string>> = {
  title: 'the title',
  agent: 'the name of an agent',
  council: 'the name of a council',
  model: 'the name of a model',
  policy: 'the name of a policy',
  mode: 'brief, positions or memo',
}
