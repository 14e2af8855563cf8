// The telegram command.
import type { ChannelStatus } from '../../channel/closed-channel.ts'
import type { Pairing } from '../../channel/pairing.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { GatewayAddress } from '../../workspace/workspace.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { counted, timeWords } from '../output/phrase.ts'
import { complain, MISUSED, print, printPage, type Terminal } from '../output/terminal.ts'
import { gatewayCall, runningGateway } from '../talk/attached.ts'

type Printing = { readonly json?: boolean }

/** Shows the state of the Telegram channel: whether it listens, to which chats, and what is wrong. */
export function telegramCommand(terminal: Terminal, { json }: Printing): Promise<number> {
  return withGateway(terminal, async gateway => {
    const asked = await gatewayCall(gateway, 'GET', '/telegram')
    if (!asked.ok) return complain(terminal, asked.fault.message)
    const status = (await asked.value.json()) as ChannelStatus<number>
    if (json === true) print(terminal, jsonForTerminal(status))
    else printPage(terminal, ...statusPage(terminal, status))
    return 0
  })
}

export function pairCommand(terminal: Terminal, { json }: Printing): Promise<number> {
  return withGateway(terminal, async gateway => {
    const made = await gatewayCall(gateway, 'POST', '/telegram/pairings', {})
    if (!made.ok) return complain(terminal, made.fault.message)
    const { code, expiresAt } = (await made.value.json()) as Pairing
    if (json === true) print(terminal, jsonForTerminal({ code, expiresAt }))
    else print(terminal, `Say this to the bot before ${timeWords(expiresAt)}: /pair ${escapeToOneLine(code)}`)
    return 0
  })
}

export function forgetCommand(terminal: Terminal, id: string, { json }: Printing): Promise<number> {
  if (!/^-?\d{1,16}$/.test(id)) return Promise.resolve(complain(terminal, `"${id}" is not the number of a chat`, MISUSED))
  return withGateway(terminal, async gateway => {
    const forgotten = await gatewayCall(gateway, 'DELETE', `/telegram/chats/${id}`)
    if (!forgotten.ok) return complain(terminal, forgotten.fault.message)
    if (json === true) print(terminal, jsonForTerminal({ forgotten: Number(id) }))
    else print(terminal, `Chat ${id} is no longer listened to; its sessions are kept.`)
    return 0
  })
}

async function withGateway(terminal: Terminal, use: (gateway: GatewayAddress) => Promise<number>): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const gateway = await runningGateway(workspace.value.home)
  return gateway === undefined
    ? complain(terminal, 'no gateway runs on this workspace, and only a gateway listens to Telegram; start one with "turnwise"')
    : use(gateway)
}

function statusPage(
  { stdout, environment }: Terminal,
  { running, bot, chats, pairings, trouble }: ChannelStatus<number>,
): readonly string[] {
  const ink = inkFor(stdout, environment)
  return [
    `${bot === null ? 'Telegram' : `@${escapeToOneLine(bot)}`} ${running ? ink.good('listens') : ink.warn('does not listen')}`,
    ...(trouble === undefined ? [] : [ink.warn(escapeToOneLine(trouble))]),
    ...(pairings === 0 ? [] : [`${counted(pairings, 'code')} to pair with ${pairings === 1 ? 'waits' : 'wait'}`]),
    ...(chats.length === 0
      ? [ink.dim('  no chat is on the list; "turnwise telegram pair" lets one in')]
      : aligned(chats.map(({ id, source, session }) => [String(id), source, session ?? '']))),
  ]
}
