// Slash commands that use the resources and prompts of MCP servers.
import type { InboundPart } from '../../../../engine.ts'
import { type Fault, fault } from '../../../../model/fault.ts'
import { MOST_PARTS } from '../../../../model/message/attachment.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import type { ListedPrompt, McpVerbs, ServerPart } from '../../talk/mcp-verbs.ts'
import type { ChatContext } from '../chat-context.ts'
import { attachedNote, type ChatCommand, misused } from './command.ts'

/** The commands that put something of an MCP server into a message. */
export const OFFER_COMMANDS: readonly ChatCommand[] = [
  { name: 'resources', takes: '[server]', does: 'list the resources of MCP servers', run: resources },
  { name: 'resource', takes: '<server> <uri>', does: 'say the next message with a resource of an MCP server', run: resource },
  { name: 'prompts', takes: '[server]', does: 'list the prompts of MCP servers', run: prompts },
  {
    name: 'prompt',
    takes: '<server> <name> [key=value]',
    does: 'fetch a prompt of an MCP server to say it; "…" keeps spaces together',
    run: prompt,
  },
]

async function resources(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  return listed(chatContext, rest, 'resources', async (mcp, server) => {
    const found = await mcp.resources(server)
    if (!found.ok) return found
    return ok(
      found.value.map(({ uri, name, description, mediaType }) => ({
        head: `${server}  ${uri}`,
        about: [name, mediaType, description].filter(words => words !== undefined && words !== uri).join(' · '),
      })),
    )
  })
}

async function prompts(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  return listed(chatContext, rest, 'prompts', async (mcp, server) => {
    const found = await mcp.prompts(server)
    if (!found.ok) return found
    return ok(
      found.value.map(each => ({
        head: [server, quoted(each.name), ...each.arguments.map(argumentWords)].join(' '),
        about: each.description ?? '',
      })),
    )
  })
}

const argumentWords = ({ name, required }: ListedPrompt['arguments'][number]): string =>
  required ? `${quoted(name)}=…` : `[${quoted(name)}=…]`

type Row = { readonly head: string; readonly about: string }

/** Lists what one server has, or every server that is ready. One that does not answer is said, and the others are listed. */
async function listed(
  chatContext: ChatContext,
  wanted: string,
  kind: 'resources' | 'prompts',
  rowsOf: (mcp: McpVerbs, server: string) => Promise<Result<readonly Row[], Fault>>,
): Promise<Result<unknown, Fault>> {
  const servers = await chatContext.act(verbs => verbs.mcp.servers())
  if (!servers.ok) return servers
  const ready = servers.value.filter(server => server.state === 'ready' && server[kind] > 0).map(({ name }) => name)
  const asked = wanted === '' ? ready : [wanted]
  let troubled: Result<never, Fault> | undefined
  let count = 0
  for (const server of asked) {
    const rows = await chatContext.act(verbs => rowsOf(verbs.mcp, server))
    if (!rows.ok) troubled = rows
    for (const { head, about } of rows.ok ? rows.value : []) {
      count += 1
      chatContext.print(chatContext.ink.name(escapeToOneLine(head)), ...(about === '' ? [] : [`  ${escapeToOneLine(about)}`]))
    }
  }
  if (troubled !== undefined) return troubled
  if (count === 0) return err(fault('not-found', `no MCP server that is ready has ${kind}`))
  chatContext.note(kind === 'resources' ? '/resource <server> <uri> attaches one' : '/prompt <server> <name> fetches one')
  return ok(null)
}

async function resource(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const [server, uri, ...more] = wordsIn(rest)
  if (server === undefined || uri === undefined || more.length > 0)
    return misused('say which, as in /resource docs file:///handbook.md; /resources lists them')
  const read = await chatContext.act(verbs => verbs.mcp.readResource(server, uri))
  return read.ok ? attach(chatContext, read.value) : read
}

/** With a line to type on, the text comes there to be changed and sent; else it is said at once. */
async function prompt(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const [server, name, ...given] = wordsIn(rest)
  if (server === undefined || name === undefined)
    return misused('say which, as in /prompt docs review tone=kind; /prompts lists them')
  const pairs = given.map(word => /^([^=]+)=([\s\S]*)$/.exec(word))
  const odd = given.find((_, index) => pairs[index] === null)
  if (odd !== undefined) return misused(`"${escapeToOneLine(odd)}" is no argument; write it as in tone=kind or tone="very kind"`)
  const args = Object.fromEntries(pairs.map(pair => [pair?.[1] ?? '', pair?.[2] ?? '']))
  const fetched = await chatContext.act(verbs => verbs.mcp.prompt(server, name, args))
  if (!fetched.ok) return fetched
  const { text, parts } = fetched.value
  const attached = parts.length === 0 ? ok(null) : attach(chatContext, parts)
  if (!attached.ok) return attached
  if (chatContext.compose === undefined) return chatContext.say(text)
  chatContext.drafted = text
  return ok(null)
}

/** Attaches parts to the next message as `/file` does. What no message takes is refused here, so that it never stays attached. */
function attach(chatContext: ChatContext, parts: readonly ServerPart[]): Result<null, Fault> {
  const sendable = parts.map(sendablePart)
  const odd = parts.find((_, index) => sendable[index] === undefined)
  if (odd !== undefined) return misused(`${escapeToOneLine(odd.name)} cannot be sent; images, PDF and text files can be attached`)
  if (chatContext.files.length + parts.length > MOST_PARTS) return misused(`at most ${MOST_PARTS} files go with one message`)
  chatContext.files.push(...sendable.filter(part => part !== undefined))
  chatContext.note(attachedNote(chatContext.files))
  return ok(null)
}

/** What a server calls otherwise is text if its bytes are. */
function sendablePart(part: ServerPart): InboundPart | undefined {
  if (part.type === 'image' || part.mediaType === 'application/pdf') return part
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part.data, 'base64'))
    if (text.includes('\0')) return undefined
    return { ...part, mediaType: part.mediaType.startsWith('text/') ? part.mediaType : 'text/plain' }
  } catch {
    return undefined
  }
}

/** The words of a line; quotation marks keep spaces together, also behind an equals sign. */
export const wordsIn = (line: string): readonly string[] =>
  (line.match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) ?? []).map(word => word.replaceAll('"', ''))

const quoted = (word: string): string => (/\s/.test(word) ? `"${word}"` : word)
