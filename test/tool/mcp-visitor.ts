// Visits the servers it is given, calls a tool of each, says what it heard, and must then end by itself.
import { openMcp } from '../../src/tool/mcp/servers.ts'
import { isReady } from '../../src/tool/toolbox.ts'
import { ADDRESSES } from './mcp-addresses.ts'

const [, , servers = '{}', calls = '[]', isAbandoned = ''] = process.argv
const mcp = openMcp(JSON.parse(servers), { environment: process.env, directory: process.cwd(), addresses: ADDRESSES })
await mcp.ready
const heard: (string | undefined)[] = []
for (const name of JSON.parse(calls) as string[]) {
  const prepared = await mcp
    .tools()
    .find(({ spec }) => spec.name === name)
    ?.prepare({ say: 'hello' })
  const settled = prepared !== undefined && isReady(prepared) ? await prepared.run(new AbortController().signal) : prepared
  heard.push(settled?.content)
}
process.stdout.write(JSON.stringify(heard))
if (isAbandoned === 'abandoned') process.exit(0)
// Until a signal comes that nobody listens to.
if (isAbandoned === 'stays') await new Promise(() => setInterval(() => undefined, 1000))
await mcp.close()
const timers = process.getActiveResourcesInfo().filter(kind => kind === 'Timeout')
const closed = performance.now()
process.on('exit', () => process.exit(timers.length > 0 ? 8 : performance.now() - closed < 3000 ? 0 : 9))
