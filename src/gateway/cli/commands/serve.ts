/** The serve command. */
import { pino } from 'pino'
import { serve } from '../../serve.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Environment } from '../../workspace/settings.ts'
import { complain, type Terminal } from '../output/terminal.ts'
import { hearInterrupts } from '../talk/interrupts.ts'

/** Runs the gateway until a signal asks it to stop. */
export async function serveCommand(terminal: Terminal, { host, port }: { host?: string; port?: string }): Promise<number> {
  const environment: Environment = {
    ...terminal.environment,
    ...(host === undefined ? {} : { TURNWISE_HOST: host }),
    ...(port === undefined ? {} : { TURNWISE_PORT: port }),
  }
  const log = pino({ level: environment.TURNWISE_LOG_LEVEL ?? 'warn', base: null }, terminal.stderr)
  const workspace = await enterWorkspace(environment, { create: true })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const interrupts = hearInterrupts()
  const stopping = new Promise<void>(resolve => interrupts.signal.addEventListener('abort', () => resolve()))
  const serving = await serve({
    workspace: workspace.value,
    environment,
    onBug: cause => log.error({ err: cause }, 'bug'),
    onTrouble: message => log.warn(message),
    ...(log.isLevelEnabled('debug') ? { onDetail: (line: string) => log.debug(line) } : {}),
  }).catch((cause: unknown) => ({ ok: false, fault: { message: startTrouble(cause) } }) as const)
  if (!serving.ok) {
    await workspace.value.shared?.close()
    return complain(terminal, serving.fault.message)
  }
  terminal.stdout.write(`Turnwise is listening on ${serving.value.url} (workspace ${workspace.value.home})\n`)
  await stopping
  await serving.value.stop()
  return 0
}

/** An address that cannot be used is for the operator to fix. Any other error is a bug. */
function startTrouble(cause: unknown): string {
  const { code, address, port } = cause as { code?: string; address?: string; port?: number }
  if (code === 'EADDRINUSE') return `port ${port} is taken; choose another with TURNWISE_PORT`
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return `cannot listen on ${address}:${port} (${code}); check gateway.host and gateway.port`
  throw cause
}
