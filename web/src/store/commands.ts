// The slash commands of the page.
import type { SamplingPatch } from '../../../src/model/sampling.ts'
import type { Session } from '../../../src/model/session.ts'
import { SYNTHESIS_MODES, type SynthesisMode } from '../../../src/model/settings/council.ts'
import type { State } from './state.ts'

/** What a command may do. Everything here can be done with the pointer as well. */
export type CommandActions = {
  readonly get: () => State
  readonly startNew: () => void
  readonly write: (text: string) => void
  readonly resume: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly exchange: () => Promise<void>
  readonly synthesize: (mode: SynthesisMode) => Promise<void>
  readonly rename: (session: Session, title: string) => Promise<void>
  readonly arrange: (changes: Arrangement) => Promise<void>
  /** Summarizes earlier messages now. */
  readonly summarize: () => Promise<void>
}

/** Who answers, and with what. */
export type Arrangement = {
  readonly agent?: string
  readonly council?: string
  readonly model?: string | null
  readonly policy?: string
  readonly thinking?: boolean | null
  readonly sampling?: SamplingPatch
  readonly maxTokens?: number | null
}

/** What there is to choose from; each by what is written, and what people call it. */
export type CommandChoices = Readonly<Record<'agent' | 'council' | 'model' | 'policy' | 'mode', readonly CommandChoice[]>>
export type CommandChoice = { readonly value: string; readonly words: string; readonly color?: string }

export const NO_CHOICES: CommandChoices = { agent: [], council: [], model: [], policy: [], mode: [] }

/** An order to the page, in the field after a `/` or in the palette. */
export type PageCommand = {
  readonly name: string
  readonly words: string
  /** What is written after it, if anything is. */
  readonly takes?: keyof CommandChoices | 'title'
  /** Whether it means anything just now. */
  readonly fits: (state: State) => boolean
  readonly run: (actions: CommandActions, argument: string) => Promise<void> | void
}

const always = (): boolean => true
const inSession = ({ session }: State): boolean => session !== null
const inCouncil = ({ about }: State): boolean => (about?.council ?? null) !== null

export const PAGE_COMMANDS: readonly PageCommand[] = [
  { name: 'new', words: 'Begin a new conversation', fits: always, run: actions => actions.startNew() },
  { name: 'resume', words: 'Go on with what was interrupted', fits: inSession, run: actions => actions.resume() },
  { name: 'stop', words: 'Stop what is running', fits: ({ view }) => view.running.length > 0, run: actions => actions.stop() },
  {
    name: 'rename',
    words: 'Give this conversation a title',
    takes: 'title',
    fits: inSession,
    run: (actions, title) => {
      const { about } = actions.get()
      return about === null ? undefined : actions.rename(about, title)
    },
  },
  {
    name: 'agent',
    words: 'Choose the agent that answers',
    takes: 'agent',
    fits: always,
    run: (actions, agent) => actions.arrange({ agent }),
  },
  {
    name: 'council',
    words: 'Choose the council that answers',
    takes: 'council',
    fits: ({ councils }) => councils.length > 0,
    run: (actions, council) => actions.arrange({ council }),
  },
  { name: 'model', words: 'Choose the model', takes: 'model', fits: always, run: (actions, model) => actions.arrange({ model }) },
  {
    name: 'policy',
    words: 'Choose what is sent of the past',
    takes: 'policy',
    fits: always,
    run: (actions, policy) => actions.arrange({ policy }),
  },
  {
    name: 'compact',
    words: 'Summarize earlier messages now',
    fits: inSession,
    run: actions => actions.summarize(),
  },
  {
    name: 'synthesis',
    words: 'Bring the last round together',
    takes: 'mode',
    fits: inCouncil,
    run: (actions, mode) => actions.synthesize(SYNTHESIS_MODES.find(known => known === mode) ?? 'brief'),
  },
  { name: 'exchange', words: 'Let the advisors answer each other', fits: inCouncil, run: actions => actions.exchange() },
  // The slash alone opens the list of all commands.
  { name: 'help', words: 'Show what can be written here', fits: always, run: actions => actions.write('/') },
]

/** A command as it was written; null where the text is a message, as is anything that only looks like one. */
export type Order = { readonly command: PageCommand; readonly argument: string }

export function orderIn(text: string): Order | null {
  const [, name, argument = ''] = /^\/([a-z]+)(?:[ \t]+(\S[^\n]*))?\s*$/.exec(text.trim()) ?? []
  const command = PAGE_COMMANDS.find(known => known.name === name)
  if (command === undefined) return null
  // A word after a command that takes none makes it a message about that word.
  if (command.takes === undefined && argument !== '') return null
  return { command, argument: argument.trim() }
}

/** What a command still needs before it can run; null if it is complete. */
export const whyNot = ({ command, argument }: Order): string | null =>
  command.takes === undefined || argument !== '' ? null : `Write /${command.name} and then ${ARGUMENTS[command.takes]}.`

const ARGUMENTS: Readonly<Record<keyof CommandChoices | 'title', string>> = {
  title: 'the title',
  agent: 'the name of an agent',
  council: 'the name of a council',
  model: 'the name of a model',
  policy: 'the name of a policy',
  mode: 'brief, positions or memo',
}
