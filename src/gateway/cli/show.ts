import { findSession } from './find-session.ts'
import { harmlessJson } from './harmless.ts'
import { inkFor } from './ink.ts'
import { reading } from './reading.ts'
import { complain, print, type Terminal } from './terminal.ts'
import { createTranscript, transcriptTitle } from './transcript.ts'

const PAGE = 500

/** Prints a conversation, page by page, however long it is. */
export function showCommand(terminal: Terminal, wanted: string, { json }: { readonly json?: boolean }): Promise<number> {
  return reading(terminal, async engine => {
    const found = await findSession(engine, wanted)
    if (!found.ok) return complain(terminal, found.fault.message)
    const session = found.value
    const ink = inkFor(terminal.stdout, terminal.environment)
    const transcript = createTranscript(ink)
    if (json === true) terminal.stdout.write(`{"session":${harmlessJson(session)},"events":[`)
    else print(terminal, ...transcriptTitle(session, ink))
    for (let after = 0; ; ) {
      const page = await engine.read(session.id, { after, limit: PAGE })
      if (!page.ok) return complain(terminal, page.fault.message)
      for (const event of page.value) {
        const { tokens: _, ...shown } = event
        if (json === true) terminal.stdout.write(`${event.seq === 1 ? '' : ','}\n${harmlessJson(shown)}`)
        else print(terminal, ...transcript.lines(event))
        after = event.seq
      }
      if (page.value.length < PAGE) break
    }
    if (json === true) print(terminal, '\n]}')
    else print(terminal, ...transcript.end())
    return 0
  })
}
