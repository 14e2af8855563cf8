// The MCP servers of the settings and the tools they offer, changed while they run.
import type { Fault } from '../../model/fault.ts'
import { fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { ApproveRules } from '../approve-rules.ts'
import type { Tool } from '../toolbox.ts'
import type { ServerAddress } from './connect.ts'
import { shownPlace, type Variables } from './facts.ts'
import { failureOf, type Library } from './failure.ts'
import type { OfferedPart, OfferedPrompt, OfferedResource, Offers } from './offers.ts'
import { type McpServer, placeOf, type Surroundings, secretsOfServer } from './place.ts'
import { keepServer, type Server, type ServerStanding } from './server.ts'
import { createServerLog, type ServerLog, type ServerLogLine, withSecretsHidden } from './server-log.ts'
import type { SignIns } from './sign-ins.ts'

export type { McpServer } from './place.ts'

/** What the settings say of servers and their tools. */
export type ServersSetting = {
  readonly servers: Readonly<Record<string, McpServer>>
  /** The operator's approval setting for tools, by the name the model knows. Without one a person is asked. */
  readonly approve?: ApproveRules
  /** The values that the settings read from the environment. Where a command or address has one, people see its name. */
  readonly variables?: Variables
  /** In place of the environment that was given at first. */
  readonly environment?: Surroundings['environment']
}

export type McpOptions = Surroundings &
  Pick<ServersSetting, 'approve' | 'variables'> & {
    /** Called once when a server goes down, once when it is back, and for tools that cannot be used. */
    readonly onTrouble?: (text: string) => void
    /** How people sign in to servers that ask for it. Without it such servers are down. */
    readonly signIns?: SignIns
    readonly callMs?: number
    readonly connectMs?: number
    readonly readyMs?: number
    readonly backoff?: { readonly firstMs: number; readonly mostMs: number }
  }

/** A server as people look at it. */
export type McpStatus = Omit<ServerStanding, 'state'> & {
  readonly name: string
  readonly kind: 'process' | 'http'
  readonly command?: readonly string[]
  readonly url?: string
  /** `refused`: the settings describe it in a way that is not used. */
  readonly state: ServerStanding['state'] | 'refused'
  readonly tools: readonly { readonly name: string; readonly description: string; readonly approval: Tool['approval'] }[]
  readonly signedIn: boolean
}

/** The tools of all MCP servers. */
export type Mcp = {
  /** The tools known now, sorted by name. A server that is down has none. */
  readonly tools: () => readonly Tool[]
  /** What is wrong now, one line each. */
  readonly troubles: () => readonly string[]
  /** Resolves when every server has answered or failed, and in any case soon. */
  readonly ready: Promise<void>
  /** Starts servers that are new, ends those that are gone, and starts those again that are reached differently. */
  readonly apply: (setting: ServersSetting) => void
  readonly list: () => readonly McpStatus[]
  readonly log: (name: string) => Result<readonly ServerLogLine[], Fault>
  /** Resolves when the server is up or down again, and in any case soon. */
  readonly restart: (name: string) => Promise<Result<McpStatus, Fault>>
  readonly resources: (name: string) => Promise<Result<readonly OfferedResource[], Fault>>
  readonly readResource: (name: string, uri: string) => Promise<Result<readonly OfferedPart[], Fault>>
  readonly prompts: (name: string) => Promise<Result<readonly OfferedPrompt[], Fault>>
  readonly prompt: (
    name: string,
    prompt: string,
    args: Readonly<Record<string, string>>,
  ) => Promise<Result<{ readonly text: string; readonly parts: readonly OfferedPart[] }, Fault>>
  /** The address at which a person signs in. `redirect` is where the server sends the person back. */
  readonly signIn: (name: string, redirect: string) => Promise<Result<{ readonly url: string }, Fault>>
  /** A person is back from signing in; gives the name of the server. */
  readonly finishSignIn: (answer: URLSearchParams) => Promise<Result<string, Fault>>
  readonly signOut: (name: string) => Promise<Result<null, Fault>>
  /** Ends every connection and every process, and leaves nothing behind. */
  readonly close: () => Promise<void>
}

type Entry = {
  readonly name: string
  readonly server: McpServer
  readonly log: ServerLog
  readonly since: string
  readonly secrets: { values: readonly string[] }
} & (
  | { readonly place: ServerAddress; readonly key: string; readonly kept: Server }
  | { readonly refused: string; readonly key: string }
)

/** Starts to connect to every server, and waits for none of them. */
export function openMcp(servers: Readonly<Record<string, McpServer>>, options: McpOptions): Mcp {
  const { onTrouble = () => undefined, callMs = 60_000, connectMs = 30_000, readyMs = 5000, signIns } = options
  const { backoff = { firstMs: 1000, mostMs: 60_000 } } = options
  let entries: ReadonlyMap<string, Entry> = new Map()
  let approve: ApproveRules = {}
  let variables: Variables = {}
  let isClosed = false
  const farewells = new Set<Promise<void>>()
  // The library is slow to load, so it is loaded only if there are servers.
  let loading: Promise<Library> | undefined
  const library = (): Promise<Library> => {
    loading ??= import('@modelcontextprotocol/client')
    return loading
  }

  const end = (entry: Entry | undefined): Promise<void> => {
    if (entry === undefined || !('kept' in entry)) return Promise.resolve()
    const over = entry.kept.close()
    farewells.add(over)
    void over.finally(() => farewells.delete(over))
    return over
  }

  const secretsOf = (name: string, { values }: Entry['secrets']): readonly string[] => [
    ...values,
    ...(signIns?.secrets(name) ?? []),
  ]

  const begin = (name: string, server: McpServer, surroundings: Surroundings, old: Entry | undefined): Entry => {
    const place = placeOf(name, server, surroundings)
    const key = JSON.stringify([place, place.ok ? shownPlace(place.value, variables) : null])
    const secrets = old?.secrets ?? { values: [] }
    secrets.values = [...secretsOfServer(server), ...Object.values(variables).filter(value => value !== undefined)]
    if (old?.key === key) return old
    const over = end(old)
    const log = old?.log ?? createServerLog(() => secretsOf(name, secrets))
    const common = { name, server, log, secrets, key, since: new Date().toISOString() }
    if (!place.ok) {
      onTrouble(`the MCP server ${JSON.stringify(name)} is not used: ${place.fault}`)
      log.say(`refused: ${place.fault}`)
      return { ...common, refused: place.fault }
    }
    log.say(old === undefined ? 'starting' : 'starting: its settings have changed')
    const authProvider = signIns?.authProvider(name, place.value)
    const kept = keepServer({
      name,
      place: place.value,
      library: library(),
      variables,
      say: onTrouble,
      log,
      hide: text => withSecretsHidden(text, secretsOf(name, secrets)),
      callMs,
      connectMs,
      readyMs,
      backoff,
      after: over,
      ...(authProvider === undefined ? {} : { authProvider }),
    })
    return { ...common, place: place.value, kept }
  }

  const apply: Mcp['apply'] = setting => {
    if (isClosed) return
    approve = setting.approve ?? {}
    variables = setting.variables ?? {}
    const surroundings = { ...options, environment: setting.environment ?? options.environment }
    const before = entries
    entries = new Map(
      Object.entries(setting.servers).map(([name, server]) => [name, begin(name, server, surroundings, before.get(name))]),
    )
    for (const [name, entry] of before) if (!entries.has(name)) void end(entry)
  }
  apply({ servers, ...options })

  const kept = (): readonly Server[] => [...entries.values()].flatMap(entry => ('kept' in entry ? [entry.kept] : []))
  const found = (name: string): Result<Entry, Fault> => {
    const entry = entries.get(name)
    return entry === undefined ? err(fault('not-found', `there is no MCP server "${name}"`)) : ok(entry)
  }
  const statusOf = (entry: Entry): McpStatus => {
    const { name, server, since } = entry
    const kind = 'url' in server ? 'http' : 'process'
    if (!('kept' in entry)) {
      const { refused: message } = entry
      return { name, kind, state: 'refused', message, tools: [], resources: 0, prompts: 0, since, restarts: 0, signedIn: false }
    }
    const tools = entry.kept
      .tools(approve)
      .map(({ spec, approval }) => ({ name: spec.name, description: spec.description, approval }))
    const signedIn = signIns?.isSignedIn(name, entry.place) ?? false
    return { name, kind, ...shownPlace(entry.place, variables), ...entry.kept.standing(), tools, signedIn }
  }
  const asked = async <T>(name: string, what: (offers: Offers) => Promise<T>): Promise<Result<T, Fault>> => {
    const entry = found(name)
    if (!entry.ok) return entry
    const offers = 'kept' in entry.value ? entry.value.kept.offers() : undefined
    if (offers === undefined) return err(fault('unreachable', `the MCP server "${name}" is not connected`))
    try {
      return ok(await what(offers))
    } catch (cause) {
      const { kind, why: said } = failureOf(await library(), cause)
      if (kind === 'unknown-person' && 'kept' in entry.value) entry.value.kept.doubt()
      const why = withSecretsHidden(said, secretsOf(name, entry.value.secrets))
      return err(fault(kind === 'refused' ? 'invalid' : 'unreachable', `the MCP server "${name}" did not give it: ${why}`))
    }
  }
  const restart = async (entry: Entry): Promise<McpStatus> => {
    if ('kept' in entry) {
      entry.kept.restart()
      await entry.kept.ready()
    }
    return statusOf(entry)
  }

  return {
    tools: () =>
      kept()
        .flatMap(server => server.tools(approve))
        .sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1)),
    troubles: () =>
      [...entries.values()].flatMap(entry =>
        'kept' in entry ? entry.kept.troubles() : [`the MCP server ${JSON.stringify(entry.name)} is not used: ${entry.refused}`],
      ),
    get ready() {
      return Promise.all(kept().map(server => server.ready())).then(() => undefined)
    },
    apply,
    list: () => [...entries.values()].map(statusOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
    log: name => {
      const entry = found(name)
      return entry.ok ? ok(entry.value.log.lines()) : entry
    },
    restart: async name => {
      const entry = found(name)
      return entry.ok ? ok(await restart(entry.value)) : entry
    },
    resources: name => asked(name, offers => offers.resources()),
    readResource: (name, uri) => asked(name, offers => offers.read(uri)),
    prompts: name => asked(name, offers => offers.prompts()),
    prompt: (name, prompt, args) => asked(name, offers => offers.prompt(prompt, args)),
    signIn: async (name, redirect) => {
      const entry = found(name)
      if (!entry.ok) return entry
      if (signIns === undefined || !('kept' in entry.value) || entry.value.place.kind !== 'http')
        return err(fault('invalid', `the MCP server "${name}" does not support signing in`))
      return signIns.begin(await library(), name, entry.value.place, redirect)
    },
    finishSignIn: async answer => {
      if (signIns === undefined) return err(fault('invalid', 'there is no signing in here'))
      const done = await signIns.finish(await library(), answer, name => {
        const entry = entries.get(name)
        return entry !== undefined && 'kept' in entry ? entry.place : undefined
      })
      const entry = done.ok ? entries.get(done.value) : undefined
      if (entry !== undefined && 'kept' in entry) entry.kept.restart()
      return done
    },
    signOut: async name => {
      const entry = found(name)
      if (!entry.ok) return entry
      const forgotten = (await signIns?.forget(name)) ?? ok(null)
      if (forgotten.ok && 'kept' in entry.value) entry.value.kept.restart()
      return forgotten
    },
    close: async () => {
      isClosed = true
      await signIns?.close()
      await Promise.all([...kept().map(server => server.close()), ...farewells])
    },
  }
}
