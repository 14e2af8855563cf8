// Resources and prompts of a real MCP server in `turnwise chat`: alone, beside a gateway, and on the line to type on.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { wordsIn } from '../../../../src/gateway/cli/chat/commands/offer-commands.ts'
import { NEEDS_PTY, turnwiseInPty } from '../../../support/terminal/pty.ts'
import { piped } from '../in-process.ts'
import { cleanEnvironment, serve, tempHome } from '../turnwise.ts'

const child = join(import.meta.dirname, '../../../tool/mcp-child.ts')

function homeWithServer(t: TestContext): string {
  const home = tempHome(t)
  mkdirSync(home)
  const mcp = {
    talk: { command: process.execPath, args: [child, 'talkative'] },
    dead: { command: process.execPath, args: [child, 'broken'] },
  }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ mcp, titles: { auto: false } }))
  return home
}

type Received = { readonly type: string; readonly text: string; readonly parts?: readonly { readonly text?: string }[] }

/** The messages that a chat sent when these lines were typed, and what it printed. */
async function said(
  home: string,
  ...lines: readonly string[]
): Promise<{ readonly messages: readonly (readonly unknown[])[]; readonly stderr: string; readonly code: number }> {
  const { stdout, stderr, code } = await piped(['chat', '--json'], { home, input: lines.map(line => `${line}\n`).join('') })
  const signals = stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Received)
  const messages = signals
    .filter(({ type }) => type === 'message.received')
    .map(({ text, parts = [] }) => [text, ...parts.map(part => part.text)])
  return { messages, stderr, code }
}

/** A gateway listens before its servers have answered. */
async function untilServersHaveStarted(url: string): Promise<void> {
  for (;;) {
    const { items } = (await (await fetch(`${url}/api/mcp`)).json()) as { readonly items: readonly { readonly state: string }[] }
    if (items.length === 2 && items.every(({ state }) => state !== 'starting')) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const LINES = [
  '/resources',
  '/prompts talk',
  '/resource talk notes://today/plan%20b.txt',
  'what is the plan?',
  '/prompt talk review code="let x"',
] as const

const SENT = [
  ['what is the plan?', 'Feed the cat.'],
  ['Review this: let x', '# Style'],
]

test('alone, a resource goes with the next message, and a prompt is said with its parts', async t => {
  const { messages, stderr, code } = await said(homeWithServer(t), ...LINES)
  assert.deepEqual([messages, code], [SENT, 0], stderr)
  assert.match(stderr, /^talk {2}notes:\/\/today\/plan%20b\.txt\n {2}plan · text\/plain · What to do\n/)
  assert.match(stderr, /\ntalk review code=… \[tone=…\]\n {2}Reviews code\n/)
})

test('beside a gateway its servers are asked, and what is wrong is said', async t => {
  const home = homeWithServer(t)
  const { url } = await serve(t, { home })
  await untilServersHaveStarted(url)
  const { messages, stderr, code } = await said(
    home,
    ...LINES,
    ...[
      '/resource talk',
      '/resource dead notes://x',
      '/resource talk notes://gone',
      '/prompt talk review code',
      '/resources nowhere',
    ],
  )
  assert.deepEqual([messages, code], [SENT, 1], stderr)
  for (const words of [
    'say which, as in /resource',
    '"dead" is not connected',
    'did not give it',
    '"code" is no argument',
    '"nowhere"',
  ])
    assert.ok(stderr.includes(words), `${words} in ${stderr}`)
})

test('a prompt comes to the line to type on, and waits there', NEEDS_PTY, async t => {
  const pty = turnwiseInPty(t, ['chat'], { env: cleanEnvironment(homeWithServer(t)), columns: 90, rows: 40 })
  await pty.waitFor(/without a gateway; \/help/)
  pty.type('/prompt talk review code=x\r')
  await pty.waitFor(/> Review this: x/)
  await pty.waitFor('the next message goes with style.md (7 bytes)')
  pty.type(' and y\r')
  await pty.waitFor(/You said: “Review this: x and y/)
  pty.press('Ctrl-D')
  assert.equal((await pty.exit).code, 0)
})

test('words of a line stay together between quotation marks', () => {
  assert.deepEqual(wordsIn('talk "Sum up" tone="very kind" x=1'), ['talk', 'Sum up', 'tone=very kind', 'x=1'])
  assert.deepEqual(wordsIn('a "b c'), ['a', 'b c'])
  assert.deepEqual(wordsIn(' '), [])
})
