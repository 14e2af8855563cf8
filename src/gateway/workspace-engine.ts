import { demoProvider, type EngineOptions, workspaceHouse } from '../engine.ts'
import type { Environment } from './settings.ts'
import type { Workspace } from './workspace.ts'

/** What every engine on a workspace is made of, so that all of them send the same bytes. */
export function engineOptions(
  { home, settings, agents }: Workspace,
  environment: Environment,
): Omit<EngineOptions, 'log' | 'agents'> & Pick<Required<EngineOptions>, 'agents'> {
  return {
    provider: demoProvider({ delayMs: demoDelayMs(environment) }),
    model: settings.model,
    policy: settings.policy,
    policies: () => [...settings.policies, ...agents.now().policies],
    agents: () => agents.now().agents,
    limits: settings.limits,
    house: workspaceHouse(home),
  }
}

function demoDelayMs({ TURNWISE_DEMO_DELAY_MS: given }: Environment): number {
  return given !== undefined && /^\d{1,6}$/.test(given) ? Number(given) : 15
}
