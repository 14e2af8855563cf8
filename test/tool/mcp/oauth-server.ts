// An MCP server on loopback that wants people to sign in, with the small authorization server that it trusts.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Scope } from '../../support/gateway.ts'
import { createState } from '../mcp-furniture.ts'
import { newerDoor } from '../mcp-http.ts'

type Json = Record<string, unknown>

export type OAuthServer = {
  /** Where the MCP server is. */
  readonly url: string
  readonly origin: string
  /** Every request, as it came. */
  readonly seen: {
    readonly method: string
    readonly path: string
    readonly authorization: string | null
    readonly body: string
  }[]
  /** Every code, token and client secret that was ever given. */
  readonly secrets: string[]
  /** What metadata says in place of the truth. */
  readonly lies: { resource?: Json; authorization?: Json; challenge?: string }
  /** How the token endpoint answers in place of the truth. */
  tokens: (() => Response | Promise<Response>) | undefined
  /** Whether the person declines. */
  declines: boolean
  /** What the MCP server answers to a request with a good token, in place of the truth. */
  instead: ((token: string, request: Request) => Response | undefined) | undefined
  /** Every access token is worth nothing from now on. */
  readonly expire: () => void
  /** Every refresh token, too. */
  readonly revoke: () => void
  readonly count: (path: string) => number
  readonly stop: () => Promise<void>
}

type Grant = { readonly client: string; readonly redirect: string; readonly challenge: string; readonly resource: string }

export async function startOAuthServer(t: Scope): Promise<OAuthServer> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `${origin}/mcp`
  const door = newerDoor(createState())
  const clients = new Map<string, { readonly redirects: readonly string[]; readonly secret: string | undefined }>()
  const codes = new Map<string, Grant>()
  let access = new Set<string>()
  /** Which client each belongs to; a used one is kept, because using it twice ends all. */
  let refresh = new Map<string, { readonly client: string; isUsed: boolean }>()
  const secrets: string[] = []
  const made = (kind: string): string => {
    const secret = `${kind}-${randomBytes(12).toString('hex')}`
    secrets.push(secret)
    return secret
  }
  const give = (client: string): Response => {
    const [token, next] = [made('access'), made('refresh')]
    access.add(token)
    refresh.set(next, { client, isUsed: false })
    return Response.json({ access_token: token, token_type: 'Bearer', expires_in: 60, refresh_token: next, scope: 'tools' })
  }
  const refused = (error: string): Response =>
    // As rude as can be: it repeats everything that was sent or is known.
    Response.json({ error, error_description: `no: ${secrets.join(' ')}` }, { status: 400 })

  const self: OAuthServer = {
    url,
    origin,
    seen: [],
    secrets,
    lies: {},
    tokens: undefined,
    declines: false,
    instead: undefined,
    expire: () => {
      access = new Set()
    },
    revoke: () => {
      access = new Set()
      refresh = new Map()
    },
    count: path => self.seen.filter(each => each.path === path).length,
    stop: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise(resolve => server.close(resolve))
    },
  }

  const authorize = ({ searchParams: asked }: URL): Response => {
    const [client = '', redirect = '', challenge = '', resource = ''] = [
      'client_id',
      'redirect_uri',
      'code_challenge',
      'resource',
    ].map(name => asked.get(name) ?? '')
    if (clients.get(client)?.redirects.includes(redirect) !== true) return new Response('unknown client', { status: 400 })
    if (asked.get('code_challenge_method') !== 'S256' || asked.get('response_type') !== 'code' || resource !== url)
      return new Response('not as it should be', { status: 400 })
    const back = new URL(redirect)
    back.searchParams.set('state', asked.get('state') ?? '')
    back.searchParams.set('iss', origin)
    if (self.declines) back.searchParams.set('error', 'access_denied')
    else {
      const code = made('code')
      codes.set(code, { client, redirect, challenge, resource })
      back.searchParams.set('code', code)
    }
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  const register = (body: string): Response => {
    const asked = JSON.parse(body) as { redirect_uris: string[]; token_endpoint_auth_method: string }
    const id = `client-${clients.size + 1}`
    const secret = asked.token_endpoint_auth_method === 'none' ? undefined : made('secret')
    clients.set(id, { redirects: asked.redirect_uris, secret })
    return Response.json(
      { ...asked, client_id: id, ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }) },
      { status: 201 },
    )
  }

  const tokens = (body: string, authorization: string | null): Response => {
    const asked = new URLSearchParams(body)
    const [basic = '', password] = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64')
      .toString()
      .split(':')
    const client = asked.get('client_id') ?? basic
    const known = clients.get(client)
    if (known === undefined || known.secret !== (asked.get('client_secret') ?? password)) return refused('invalid_client')
    if (asked.get('grant_type') === 'refresh_token') {
      const given = refresh.get(asked.get('refresh_token') ?? '')
      if (given?.isUsed === true) self.revoke()
      if (given === undefined || given.client !== client || given.isUsed) return refused('invalid_grant')
      given.isUsed = true
      return give(client)
    }
    const code = asked.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    const proof = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url')
    const isGood = grant?.client === client && grant.redirect === asked.get('redirect_uri') && grant.challenge === proof
    return isGood && asked.get('resource') === grant.resource ? give(client) : refused('invalid_grant')
  }

  const answer = async (request: Request): Promise<Response> => {
    const asked = new URL(request.url)
    const authorization = request.headers.get('authorization')
    const body = request.method === 'GET' || asked.pathname === '/mcp' ? '' : await request.text()
    self.seen.push({ method: request.method, path: asked.pathname, authorization, body })
    switch (asked.pathname) {
      case '/mcp': {
        const token = authorization?.replace(/^Bearer /, '') ?? ''
        if (access.has(token)) return self.instead?.(token, request) ?? door(request)
        const metadata = self.lies.challenge ?? `${origin}/.well-known/oauth-protected-resource/mcp`
        const challenge = `Bearer realm="test", resource_metadata="${metadata}", scope="tools"`
        return new Response(`no: ${token}`, { status: 401, headers: { 'www-authenticate': challenge } })
      }
      case '/.well-known/oauth-protected-resource/mcp':
        return Response.json({ resource: url, authorization_servers: [origin], ...self.lies.resource })
      case '/.well-known/oauth-authorization-server':
        return Response.json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          authorization_response_iss_parameter_supported: true,
          ...self.lies.authorization,
        })
      case '/register':
        return register(body)
      case '/authorize':
        return authorize(asked)
      case '/token':
        return (await self.tokens?.()) ?? tokens(body, authorization)
      default:
        return new Response('nothing here', { status: 404 })
    }
  }
  server.on('request', getRequestListener(answer))
  t.after(self.stop)
  return self
}

/** Plays the browser of a person who signs in: gives the address to which the authorization server sends it back. */
export async function signInAt(url: string): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`no way back: ${response.status} ${await response.text()}`)
  return new URL(location)
}
