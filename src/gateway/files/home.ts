// Where the workspace folder is.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Environment } from '../variables.ts'

/** The folder of the workspace, which may not exist yet. */
export const homeOf = ({ TURNWISE_HOME: given }: Environment): string => resolve(given || join(homedir(), '.turnwise'))

/** The folder of a workspace that exists. */
export function existingHome(environment: Environment): Result<string, Fault> {
  const home = homeOf(environment)
  if (existsSync(home)) return ok(home)
  return err(fault('not-found', `there is no workspace at ${home} yet; run "turnwise serve" once`))
}
