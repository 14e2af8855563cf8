// The approvals command.
import type { Pending } from '../../../engine.ts'
import type { ApprovalAnswer } from '../../../model/event.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { approvalLines } from '../output/approval-lines.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { complain, MISUSED, print, printPage, type Terminal } from '../output/terminal.ts'
import { shownArgv } from '../sessions/transcript.ts'
import { gatewayCall, runningGateway } from '../talk/attached.ts'

export type ApprovalsCommandOptions = { readonly json?: boolean; readonly reason?: string }

export const APPROVAL_ANSWERS: readonly ApprovalAnswer[] = ['once', 'session', 'always', 'deny']

/** Lists the calls that wait for a person at the running gateway, or answers one of them. */
export async function approvalsCommand(
  terminal: Terminal,
  id: string | undefined,
  answer: string | undefined,
  { json, reason }: ApprovalsCommandOptions,
): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const gateway = await runningGateway(workspace.value.home)
  if (gateway === undefined) return complain(terminal, 'no gateway is running, so nothing waits; start one with "turnwise serve"')
  if (id !== undefined) {
    const word = APPROVAL_ANSWERS.find(each => each === answer)
    if (word === undefined)
      return complain(terminal, `say how: turnwise approvals ${escapeToOneLine(id)} ${APPROVAL_ANSWERS.join('|')}`, MISUSED)
    const given = await gatewayCall(gateway, 'POST', `/approvals/${encodeURIComponent(id)}`, {
      answer: word,
      ...(reason === undefined ? {} : { reason }),
    })
    if (!given.ok) return complain(terminal, given.fault.message)
    if (json === true) print(terminal, jsonForTerminal({ approval: id, answer: word }))
    return 0
  }
  const listed = await gatewayCall(gateway, 'GET', '/approvals')
  if (!listed.ok) return complain(terminal, listed.fault.message)
  const { items } = (await listed.value.json()) as { items: readonly Pending[] }
  if (json === true) {
    print(terminal, jsonForTerminal({ items }))
    return 0
  }
  const { dim } = inkFor(terminal.stdout, terminal.environment)
  for (const item of items) {
    const { approval, session, argv, at } = item
    const facts = [...approvalLines(item), `  ${escapeToOneLine(session)}, since ${escapeToOneLine(at)}`]
    printPage(terminal, `${escapeToOneLine(approval)}  ${shownArgv(argv)}`, ...facts.map(dim))
  }
  printPage(terminal, dim(items.length === 0 ? '  nothing waits' : `  turnwise approvals <id> ${APPROVAL_ANSWERS.join('|')}`))
  return 0
}
