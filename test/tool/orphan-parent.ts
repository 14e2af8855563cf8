// Started by orphans.test.ts: runs a tool until it is killed itself.
import { confinement } from '../../src/tool/process/confine.ts'
import { execute } from '../../src/tool/process/execute.ts'

const [mark = '', how = ''] = process.argv.slice(2)
await execute(
  {
    wrapper: how === 'confined' ? await confinement() : [],
    path: '/usr/bin/sleep',
    args: ['30'],
    cwd: '/',
    env: { TEST_MARK: mark },
    timeoutMs: 30_000,
  },
  new AbortController().signal,
)
