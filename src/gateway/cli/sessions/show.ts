/** `turnwise show`: prints a conversation, and with `--follow` continues as it grows. */
import type { SessionId } from '../../../model/ids.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { complain, print, type Terminal } from '../output/terminal.ts'
import { attached, runningGateway } from '../talk/attached.ts'
import { hearInterrupts } from '../talk/interrupts.ts'
import { paintedWhole, painterFor } from '../terminal/paint/on-terminal.ts'
import { findSession } from './find-session.ts'
import { reading } from './reading.ts'
import { createTranscript, type TranscriptLines, transcriptTitle } from './transcript.ts'

const PAGE = 500

export type ShowOptions = { readonly json?: boolean; readonly follow?: boolean }

/** Prints a conversation of any length, page by page. */
export function showCommand(terminal: Terminal, wanted: string, { json, follow }: ShowOptions): Promise<number> {
  return reading(terminal, async (engine, workspace) => {
    const found = await findSession(engine, wanted)
    if (!found.ok) return complain(terminal, found.fault.message)
    const session = found.value
    const ink = inkFor(terminal.stdout, terminal.environment)
    const painter = painterFor(terminal)
    const transcript = createTranscript(ink, painter === null ? undefined : answer => paintedWhole(painter, answer))
    if (json === true) terminal.stdout.write(`{"session":${jsonForTerminal(session)},"events":[`)
    else print(terminal, ...transcriptTitle(session, ink))
    let after = 0
    while (true) {
      const page = await engine.read(session.id, { after, limit: PAGE })
      if (!page.ok) return complain(terminal, page.fault.message)
      for (const event of page.value) {
        const { tokens: _, ...shown } = event
        if (json === true) terminal.stdout.write(`${event.seq === 1 ? '' : ','}\n${jsonForTerminal(shown)}`)
        else print(terminal, ...transcript.lines(event))
        after = event.seq
      }
      if (page.value.length < PAGE) break
    }
    if (json === true) print(terminal, '\n]}')
    else print(terminal, ...(follow === true ? transcript.atLimit() : transcript.end()))
    return follow === true ? followed(terminal, workspace, session.id, after, transcript) : 0
  })
}

/** Prints new events until the person stops it. Only a gateway can report what happens. */
async function followed(
  terminal: Terminal,
  { home }: Workspace,
  id: SessionId,
  after: number,
  { lines, atLimit }: TranscriptLines,
): Promise<number> {
  const gateway = await runningGateway(home)
  if (gateway === undefined) return complain(terminal, 'no gateway is running, so nothing more will be said; start one first')
  const interrupts = hearInterrupts()
  for await (const signal of attached(gateway).verbs.follow(id, after, interrupts.signal)) {
    if (signal.type === 'fault') return complain(terminal, signal.fault.message)
    if (signal.type === 'event') print(terminal, ...lines(signal.event), ...atLimit())
  }
  interrupts.stop()
  return 0
}
