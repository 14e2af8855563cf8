/** Puts every declared route into one app. */
import { Hono } from 'hono'
import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { chatRoutes } from '../ai-sdk/chat.ts'
import type { Channel } from '../channel/closed-channel.ts'
import { errorResponse, isOpenAiPath } from '../openai/errors.ts'
import { openAiRoutes } from '../openai/routes.ts'
import { type Connections, NO_CONNECTIONS } from '../settings/connections.ts'
import { type EditableSettings, NO_EDITABLE_SETTINGS } from '../settings/edit-settings.ts'
import type { ListedDefaults } from '../usual.ts'
import { type Agents, NO_AGENTS } from '../workspace/agents.ts'
import { type Councils, NO_COUNCILS } from '../workspace/councils.ts'
import { type MemorySettings, NO_MEMORY_SETTINGS } from '../workspace/memory-settings.ts'
import { type ModelWindows, NO_WINDOWS } from '../workspace/model-windows.ts'
import { NO_PROJECTS, type Projects } from '../workspace/projects.ts'
import { openApi } from './openapi.ts'
import { ownerCheck } from './peer-user.ts'
import { problemResponse } from './problem.ts'
import { addRoute, type Route } from './route.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { benchRoutes } from './routes/bench.ts'
import { eventRoutes } from './routes/events.ts'
import { exportRoutes } from './routes/export.ts'
import { fileRoutes } from './routes/files.ts'
import { importRoutes } from './routes/import.ts'
import { inspectRoutes } from './routes/inspect.ts'
import { foldRoutes } from './routes/memory/folds.ts'
import { memoryRoutes } from './routes/memory/memory.ts'
import { recallRoutes } from './routes/memory/recall.ts'
import { messageRoutes } from './routes/messages.ts'
import { quoteRoutes } from './routes/quotes.ts'
import { roundRoutes } from './routes/rounds.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { statusRoutes } from './routes/status.ts'
import { telegramRoutes } from './routes/telegram.ts'
import { usageRoutes } from './routes/usage.ts'
import { agentRoutes } from './routes/workspace/agents.ts'
import { councilRoutes } from './routes/workspace/councils.ts'
import { mcpRoutes } from './routes/workspace/mcp.ts'
import { mcpSignInRoutes } from './routes/workspace/mcp-sign-in.ts'
import { modelRoutes } from './routes/workspace/models.ts'
import { projectRoutes } from './routes/workspace/projects.ts'
import { providerRoutes } from './routes/workspace/providers.ts'
import { settingsRoutes } from './routes/workspace/settings.ts'
import { skillRoutes } from './routes/workspace/skills.ts'
import type { Env, Streams } from './streams.ts'

/** What the routes need besides the engine. */
export type AppOptions = {
  readonly engine: Engine
  /** Where agents, councils, projects, keys and settings are kept. Absent without a workspace. */
  readonly agents?: Agents
  readonly councils?: Councils
  readonly projects?: Projects
  readonly windows?: ModelWindows
  readonly memory?: MemorySettings
  readonly connections?: Connections
  readonly editable?: EditableSettings
  /** True if callers have to send a token. */
  readonly hasToken?: boolean
  readonly usual?: () => ListedDefaults
  /** The Telegram channel, where there is one. */
  readonly telegram?: Channel<number>
  readonly streams: Streams
  readonly metrics: () => string
  /** Why the gateway is not at its best; empty when it is. */
  readonly troubles: () => Promise<readonly string[]>
  readonly onBug: (cause: unknown) => void
}

/** Every route of the contract, as the router and the OpenAPI document have it. */
export function routesOf(options: AppOptions): readonly Route[] {
  const { engine, agents = NO_AGENTS, councils = NO_COUNCILS, projects = NO_PROJECTS, windows = NO_WINDOWS } = options
  const { streams, metrics, troubles, onBug, usual, telegram, memory = NO_MEMORY_SETTINGS } = options
  const { connections = NO_CONNECTIONS, editable = NO_EDITABLE_SETTINGS } = options
  // Made at the first request for it, because making it takes longer than the whole rest of a start.
  let document: object | undefined
  const describe = (): object => {
    document ??= openApi(routes)
    return document
  }
  const routes: readonly Route[] = [
    ...statusRoutes({ metrics, troubles, openApi: describe }),
    ...agentRoutes({ engine, agents }),
    ...councilRoutes({ engine, councils }),
    ...modelRoutes({ engine, usual, windows, connections }),
    ...providerRoutes({ connections }),
    ...settingsRoutes({ engine, editable }),
    ...usageRoutes({ engine }),
    ...skillRoutes({ engine, usual }),
    ...mcpRoutes({ engine }),
    ...mcpSignInRoutes({ engine }),
    ...telegramRoutes({ telegram }),
    ...projectRoutes({ engine, projects }),
    ...quoteRoutes({ engine }),
    ...sessionRoutes({ engine }),
    ...messageRoutes({ engine, streams }),
    ...eventRoutes({ engine, streams }),
    ...fileRoutes({ engine }),
    ...exportRoutes({ engine, onBug }),
    ...importRoutes({ engine, onBug }),
    ...roundRoutes({ engine }),
    ...approvalRoutes({ engine }),
    ...inspectRoutes({ engine }),
    ...recallRoutes({ engine, streams }),
    ...foldRoutes({ engine }),
    ...memoryRoutes({ engine, projects, memory }),
    ...benchRoutes({ engine, streams }),
    ...openAiRoutes({ engine, streams, onBug }),
    ...chatRoutes({ engine, streams }),
  ]
  return routes
}

export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>()
  const refuseOthers = ownerCheck(options.hasToken === true)
  for (const route of routesOf(options)) addRoute(app, route, trouble => refused(route.path, trouble), refuseOthers)
  app.notFound(c => refused(c.req.path, fault('not-found', `there is nothing at ${c.req.method} ${c.req.path}`)))
  app.onError((cause, c) => {
    options.onBug(cause)
    return refused(c.req.path, fault('bug', 'something went wrong inside Turnwise; its log says what'))
  })
  return app
}

/** A problem in the shape that the clients of a path read. */
const refused = (path: string, trouble: Fault): Response =>
  (isOpenAiPath(path) ? errorResponse : problemResponse)({ fault: trouble })
