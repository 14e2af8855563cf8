// The disconnect command: forgets a key and an address that were entered.
import { openWorkspace } from '../../workspace/workspace.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { complain, print, type Terminal } from '../output/terminal.ts'
import { providerLink } from './provider-link.ts'

/** Keys in the environment and in turnwise.json stay; what is said then names the place. */
export async function disconnectCommand(
  terminal: Terminal,
  name: string,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const workspace = openWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const link = await providerLink(workspace.value)
  const done = await link.disconnect(name)
  if (!done.ok) return complain(terminal, done.fault.message)
  if (json === true) print(terminal, jsonForTerminal({ name }))
  else print(terminal, `${escapeToOneLine(name)} is disconnected; its key is deleted from secrets.json.`)
  return 0
}
