/** The private command: keeps what is said in a chat out of all others, or lets them quote it again. */
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { complain, MISUSED, print, type Terminal, tellOfWaiting } from '../output/terminal.ts'
import { findSession } from '../sessions/find-session.ts'
import { readingIn } from '../sessions/reading.ts'
import { findAnsweringEngine } from '../talk/answering-engine.ts'
import { hearInterrupts } from '../talk/interrupts.ts'

/** Makes a session private, or public again. */
export async function privateCommand(
  terminal: Terminal,
  wanted: string,
  how: string,
  { json }: { readonly json?: boolean },
): Promise<number> {
  if (how !== 'on' && how !== 'off') return complain(terminal, `"${how}" is neither on nor off`, MISUSED)
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  return readingIn(terminal, workspace.value, async engine => {
    const session = await findSession(engine, wanted)
    if (!session.ok) return complain(terminal, session.fault.message)
    const interrupts = hearInterrupts()
    try {
      const writer = await findAnsweringEngine(workspace.value, terminal.environment, interrupts.signal, () =>
        tellOfWaiting(terminal),
      )
      if (!writer.ok) return complain(terminal, writer.fault.message)
      const changed = await writer.value.verbs.change(session.value.id, { private: how === 'on' })
      await writer.value.close()
      if (!changed.ok) return complain(terminal, changed.fault.message)
      if (json === true) print(terminal, jsonForTerminal(changed.value))
      else print(terminal, privateWords(how === 'on'))
      return 0
    } finally {
      interrupts.stop()
    }
  })
}

export const privateWords = (isPrivate: boolean): string =>
  isPrivate ? 'Private: no other chat quotes what is said here.' : 'No longer private: other chats may quote what is said here.'
