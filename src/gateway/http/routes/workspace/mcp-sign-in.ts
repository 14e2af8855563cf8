/** Routes of signing in to MCP servers, and the page on which a person is back. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Engine, Mcp } from '../../../../engine.ts'
import { type Fault, fault } from '../../../../model/fault.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import { problemOf } from '../../problem.ts'
import { type HttpExchange, jsonRouteAnswer, noContent, type Route, route, written } from '../../route.ts'
import { plainText } from '../../schemas/fields.ts'
import { type Schema, schema } from '../../schemas/schema.ts'

/** Where authorization servers send people back. It needs no token of the gateway: the person comes from elsewhere, with a `state`. */
export const MCP_CALLBACK_PATH = '/oauth/mcp/callback'

const begun: Schema<{ readonly url: string }> = schema('McpSignIn', () => z.object({ url: z.string() }))

const params = { name: plainText('The name of an MCP server') }
const MISSING = { 404: 'There is no such server' }

const answer = z.object({
  state: z.string().optional(),
  code: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
})

export const mcpSignInRoutes = ({ engine }: { readonly engine: Pick<Engine, 'servers'> }): readonly Route[] => {
  const asked = async <T>(ask: (mcp: Mcp) => Promise<Result<T, Fault>>): Promise<Result<T, Fault>> => {
    const mcp = engine.servers()
    return mcp === undefined ? err(fault('not-found', 'there are no MCP servers here')) : ask(mcp)
  }
  return [
    route({
      method: 'post',
      path: '/api/mcp/:name/sign-in',
      operationId: 'signInToMcpServer',
      ownerOnly: true,
      summary: 'Begin to sign in to a server: gives the address that a person opens, once, within ten minutes',
      params,
      problems: { ...MISSING, 502: 'The server, or the authorization server that it names, cannot be used for signing in' },
      answers: [jsonRouteAnswer(200, begun, 'Where the person signs in')],
      handle: ({ params: { name }, c }) => asked(mcp => mcp.signIn(name, `${ownOrigin(c)}${MCP_CALLBACK_PATH}`)),
    }),
    route({
      method: 'delete',
      path: '/api/mcp/:name/sign-in',
      operationId: 'signOutOfMcpServer',
      ownerOnly: true,
      summary: 'Sign out of a server: forgets its tokens',
      params,
      problems: MISSING,
      answers: [noContent('Signed out, or not signed in before')],
      handle: ({ params: { name } }) => asked(mcp => mcp.signOut(name)),
    }),
    route({
      method: 'get',
      path: MCP_CALLBACK_PATH,
      operationId: 'finishMcpSignIn',
      summary: 'Where a person is back from signing in; a page for people',
      query: answer,
      problems: { 404: 'There are no servers; said on a page, like all that goes wrong here' },
      answers: [written(['text/html'], 'What came of it')],
      handle: async ({ c, query: { state, code, iss, error } }) => {
        // A program that only looks whether there is something must not use up the sign-in.
        if (c.req.method === 'HEAD') return ok(c.body(null, 405))
        const given = Object.entries({ state, code, iss, error }).filter(each => each[1] !== undefined) as [string, string][]
        return ok(pageOf(await asked(mcp => mcp.finishSignIn(new URLSearchParams(given)))))
      },
    }),
  ]
}

/** The address through which the person reached the gateway. The guard has checked both headers. */
function ownOrigin(c: HttpExchange): string {
  const host = c.req.header('host') ?? ''
  return c.req.header('origin') === `https://${host}` ? `https://${host}` : `http://${host}`
}

const STYLE =
  ':root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{max-width:36rem;margin:15vh auto;padding:0 1.5rem}h1{font-size:1.375rem}'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

function pageOf(done: Result<string, Fault>): Response {
  const [title, text] = done.ok
    ? [`Signed in to ${done.value}.`, 'You can close this tab.']
    : ['Not signed in.', `${sentence(done.fault.message)} Close this tab and sign in again on the MCP servers page.`]
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></html>\n`
  return new Response(html, { status: done.ok ? 200 : problemOf({ fault: done.fault }).status, headers: HEADERS })
}

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, letter => ENTITIES[letter] ?? '')
