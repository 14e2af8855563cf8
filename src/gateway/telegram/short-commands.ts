import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { oneLine } from '../cli/output/escape-for-terminal.ts'
import type { Place } from './bot-api.ts'
import type { Notebook, Task } from './channel-store.ts'
import { answerTo, choices, help, STOPPED } from './commands.ts'
import { type Formatted, joined, plain } from './format/formatted.ts'
import type { Places } from './places.ts'

type Chore = Extract<Task, { kind: 'command' }>

export type ChoresOptions = {
  readonly engine: Engine
  readonly notebook: Notebook
  readonly places: Places
  readonly clock: () => number
}

/** Does what the door itself is asked for, and says what came of it. What was done before is only said again. */
export function createChores({ engine, notebook, places, clock }: ChoresOptions): {
  readonly perform: (place: Place, chore: Chore) => Promise<Result<Formatted, Fault>>
} {
  const fresh = async (place: Place, { session, isDid }: Chore): Promise<Result<Formatted, Fault>> => {
    if (session === undefined) return err(fault('bug', 'a fresh session has no id'))
    if (!isDid) {
      const opened = await places.openAt(place, session)
      if (!opened.ok) return opened
    }
    return ok(plain('A fresh session. The one before is kept.'))
  }

  /** Another agent or council answers from now on; where nothing was said yet, a session is opened for it. */
  const choose = async (
    place: Place,
    { command, argument, session: minted, isDid }: Chore,
  ): Promise<Result<Formatted, Fault>> => {
    const kind = command === 'agent' ? 'agent' : 'council'
    const item = (kind === 'agent' ? engine.agents() : engine.councils()).find(({ key }) => key === argument)
    if (item === undefined)
      return ok(joined(plain(`There is no ${kind} of that name.\n\n`), choices(engine, kind, notebook.binding(place))))
    if (!isDid) {
      const now = await places.sessionAt(place)
      if (!now.ok) return now
      const wish = kind === 'agent' ? { agent: item.key } : { council: item.key }
      const changed = await (now.value === undefined
        ? engine.open({ ...wish, ...(minted === undefined ? {} : { id: minted }) })
        : now.value[kind] === item.key
          ? now
          : engine.change(now.value.id, wish))
      if (!changed.ok) return changed
      const bound = changed.value === undefined ? ok(null) : await places.bind(place, changed.value)
      if (!bound.ok) return bound
    }
    return ok(
      plain(kind === 'agent' ? `${oneLine(item.name)} answers here now.` : `The council ${oneLine(item.name)} answers here now.`),
    )
  }

  return {
    perform: async (place, chore) => {
      switch (chore.command) {
        case 'new':
          return fresh(place, chore)
        case 'agent':
        case 'council':
          return choose(place, chore)
        case 'agents':
        case 'councils':
          return ok(choices(engine, chore.command === 'agents' ? 'agent' : 'council', notebook.binding(place)))
        case 'cancel':
          // Whatever is answered by now was asked for later.
          if (chore.isDid) return ok(STOPPED)
          break
        case 'resume':
          return ok(plain('There is nothing to go on with: nothing was said here yet.'))
        case 'paired':
          return ok(joined(plain('Paired: you are listened to from now on.\n\n'), help()))
        case 'forwarded':
          return ok(plain('Forwarded messages are not taken: their words are somebody else’s. Copy what you want to say.'))
        case 'strange':
          return ok(plain(`I cannot take ${chore.argument}. Text, photos and text files I can.`))
        case 'refused':
          return ok(plain(`This could not be said (${chore.argument}).`))
      }
      const session = await places.sessionAt(place)
      if (!session.ok) return session
      const situation = { engine, session: session.value, now: clock() }
      const answered = await answerTo({ name: chore.command, argument: chore.argument }, situation)
      return answered ?? ok(joined(plain('There is no such command.\n\n'), help()))
    },
  }
}
