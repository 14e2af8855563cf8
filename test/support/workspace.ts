import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { serve } from '../../src/gateway/serve.ts'
import { openWorkspace } from '../../src/gateway/workspace/workspace.ts'
import type { Scope } from './gateway.ts'

/** A gateway on a folder of its own, as an operator has it. */
export type TestWorkspace = {
  readonly url: string
  readonly home: string
  /** What the operator was told. */
  readonly troubles: readonly string[]
  /** Writes a file of the workspace; what is not text is written as JSON. */
  readonly write: (file: string, content: unknown) => void
}

export async function startWorkspace(
  t: Scope,
  files: Readonly<Record<string, unknown>> | 'as Turnwise makes it',
  variables: Readonly<Record<string, string>> = {},
): Promise<TestWorkspace> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-home-'))
  // Where there is no folder yet, Turnwise makes one, with the skills that come with it.
  const home = files === 'as Turnwise makes it' ? join(folder, 'new') : folder
  const write: TestWorkspace['write'] = (file, content) => {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), typeof content === 'string' ? content : JSON.stringify(content))
  }
  if (home === folder) for (const [file, content] of Object.entries(files)) write(file, content)
  // Nobody listens there: an Ollama on the tester's machine is none of a test's business.
  const environment = { OLLAMA_HOST: '127.0.0.1:9', ...variables, TURNWISE_HOME: home, TURNWISE_PORT: '0' }
  const workspace = openWorkspace(environment, { create: true })
  assert.ok(workspace.ok, workspace.ok ? '' : workspace.fault.message)
  const troubles: string[] = []
  const serving = await serve({
    workspace: workspace.value,
    // Tools are found only where a test says so.
    environment: { TURNWISE_DEMO_DELAY_MS: '0', ...(variables.PATH === undefined ? {} : { PATH: variables.PATH }) },
    onBug: assert.ifError,
    onTrouble: message => troubles.push(message),
  })
  assert.ok(serving.ok, serving.ok ? '' : serving.fault.message)
  const { url, stop } = serving.value
  t.after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return { url, home, troubles, write }
}
