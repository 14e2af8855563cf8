// Asks the gateway about sessions and messages.
import type { Attribution } from '../../../src/context/synthesis/attribution.ts'
import type { ApprovalAnswer, Mark, Reach, SessionChange } from '../../../src/model/event.ts'
import type { FoldMaker } from '../../../src/model/fold.ts'
import type { Quote } from '../../../src/model/quote.ts'
import type { RecallFrom, RecallSetting } from '../../../src/model/recall.ts'
import type { MessageSettings, SamplingPatch } from '../../../src/model/sampling.ts'
import type { Session, SessionHit } from '../../../src/model/session.ts'
import type { Council, SynthesisMode } from '../../../src/model/settings/council.ts'
import type { UsageSum } from '../../../src/model/usage.ts'
import type { ApiConnection } from './ask.ts'
import { type Following, type FollowRequest, followStream } from './follow.ts'
import { type ApiResult, readProblem, UNREACHABLE } from './problem.ts'
import { type ListedSettings, settingAt } from './settings-api.ts'

export type SessionHitPage = { readonly items: readonly SessionHit[]; readonly next: string | null }

/** What can be asked of the list; what is left out is not asked for. */
export type SessionListQuery = {
  readonly query: string
  readonly cursor: string | null
  readonly project?: string
  readonly archived?: boolean
}

/** A file on its way: its bytes in base64. */
export type AttachedPart = {
  readonly type: 'image' | 'file'
  readonly name: string
  readonly mediaType: string
  readonly data: string
}

/** The forms in which a conversation is offered as a file. */
export type FileFormat = 'json' | 'markdown' | 'html'
export type SavedFile = { readonly name: string; readonly blob: Blob }

/** What came in with a file. */
export type ImportOutcome = {
  readonly sessions: number
  readonly messages: number
  readonly remarks: readonly string[]
  readonly ids: readonly string[]
}

/** A message. The same key and content again is the same message, so a send may be repeated when its answer was lost. */
export type OutgoingMessage = {
  readonly text: string
  readonly key: string
  readonly to?: readonly string[]
  readonly parts?: readonly AttachedPart[]
}

/** Who answers in a new session. */
export type NewSessionFor = { readonly agent: string } | { readonly council: string }

/** An agent as it is met in a conversation. */
export type NamedAgent = { readonly key: string; readonly name: string; readonly color?: string }

/** What is to change of a session; of its sampling, what is named. */
export type SessionPatch = Omit<SessionChange, 'sampling' | 'policyChosen'> & { readonly sampling?: SamplingPatch | null }

/** What a new session is to be asked with, beside the usual. */
export type TurnWish = MessageSettings & { readonly model?: string; readonly policy?: string; readonly thinking?: boolean }

/** How a summary is to be made; what is left out is the gateway's choice. */
export type SummaryWish = {
  readonly from?: number
  readonly to?: number
  readonly by?: FoldMaker
  readonly model?: string
  readonly voice?: string
}

/** What a wish for a summary led to: `turn` if a model is being asked, else the summary itself. */
export type SummaryOutcome = { readonly turn?: string; readonly seq?: number }

/** Where chats may recall from; as much of it as every chat shows. */
export type RecallSwitchState = { readonly from: RecallFrom }

/** A project as the sidebar knows it; `recall` if its chats recall from each other. */
export type NamedProject = { readonly name: string; readonly recall?: boolean }

/** What a policy says about recall; null if it recalls nothing. */
export type RecallPolicy = { readonly name: string; readonly recall?: RecallSetting | null }

/** The gateway's verbs as the page uses them. Ordinary trouble is an outcome; nothing here throws for it. */
export type ApiClient = {
  readonly list: (want: SessionListQuery) => Promise<ApiResult<SessionHitPage>>
  /** Every session of a tree of forks, the first one too. */
  readonly family: (id: string) => Promise<ApiResult<SessionHitPage>>
  /** Who may answer, with the names people know them by. */
  readonly agents: () => Promise<ApiResult<{ readonly items: readonly NamedAgent[] }>>
  readonly councils: () => Promise<ApiResult<{ readonly items: readonly Council[] }>>
  readonly projects: () => Promise<ApiResult<{ readonly items: readonly NamedProject[] }>>
  readonly policies: () => Promise<ApiResult<{ readonly items: readonly RecallPolicy[]; readonly default?: string }>>
  readonly recallSwitches: () => Promise<ApiResult<RecallSwitchState>>
  /** Writes a council whole. */
  readonly putCouncil: (council: Council) => Promise<ApiResult<Council>>
  readonly show: (id: string) => Promise<ApiResult<Session>>
  /** Null leaves it to the gateway who answers. */
  readonly create: (whom: NewSessionFor | null, project: string | null, wish?: TurnWish) => Promise<ApiResult<Session>>
  readonly change: (id: string, changes: SessionPatch) => Promise<ApiResult<Session>>
  /** A new session that shares everything up to and including a seq, and what was being said when `redo` came in. */
  readonly fork: (id: string, at: number, redo: number) => Promise<ApiResult<Session>>
  /** Whether the workspace names chats automatically; a gateway that does not say so names them. */
  readonly wantsTitles: () => Promise<boolean>
  /** Has the house find a title; where there is nothing to do, status 409. */
  readonly entitle: (id: string) => Promise<ApiResult<unknown>>
  readonly remove: (id: string) => Promise<ApiResult<unknown>>
  readonly say: (id: string, message: OutgoingMessage) => Promise<ApiResult<unknown>>
  /** What a message would take, before it is said. */
  readonly quote: (id: string, text: string, to?: readonly string[]) => Promise<ApiResult<Quote>>
  /** The same before there is a session. */
  readonly quoteFirst: (
    text: string,
    whom: NewSessionFor | null,
    project: string | null,
    wish: TurnWish,
  ) => Promise<ApiResult<Quote>>
  /** What all requests of a session used together. */
  readonly usage: (id: string) => Promise<ApiResult<{ readonly total: UsageSum }>>
  /** A pin may reach beyond its chat. */
  readonly mark: (id: string, seq: number, mark: Mark | null, reach?: Reach) => Promise<ApiResult<unknown>>
  /** Summarizes earlier messages now. */
  readonly fold: (id: string, wish: SummaryWish) => Promise<ApiResult<SummaryOutcome>>
  readonly editFold: (id: string, seq: number, text: string) => Promise<ApiResult<SummaryOutcome>>
  readonly redoFold: (id: string, seq: number, wish: Pick<SummaryWish, 'by' | 'model'>) => Promise<ApiResult<SummaryOutcome>>
  readonly removeFold: (id: string, seq: number) => Promise<ApiResult<unknown>>
  /** The bytes of a file that came with a message. */
  readonly file: (id: string, hash: string) => Promise<ApiResult<Blob>>
  /** A conversation as a file, with the name that it should have. */
  readonly exported: (id: string, format: FileFormat) => Promise<ApiResult<SavedFile>>
  /** Takes in the conversations of a file, all or none. */
  readonly bring: (file: Blob) => Promise<ApiResult<ImportOutcome>>
  /** Every running turn, or one. */
  readonly cancel: (id: string, turn?: string) => Promise<ApiResult<unknown>>
  /** The advisors answer each other, once. */
  readonly exchange: (id: string) => Promise<ApiResult<unknown>>
  readonly synthesize: (id: string, mode: SynthesisMode) => Promise<ApiResult<unknown>>
  /** Goes on with what failed or was interrupted in the last round, or with one turn; with nothing to go on with, status 409. */
  readonly resume: (id: string, turn?: string) => Promise<ApiResult<unknown>>
  /** What each sentence of a synthesis rests on. */
  readonly sources: (id: string, turn: string) => Promise<ApiResult<Attribution>>
  /** The first answer counts; a second one is a problem with status 409. The model reads the reason. */
  readonly answer: (approval: string, answer: ApprovalAnswer, reason?: string) => Promise<ApiResult<unknown>>
  readonly follow: (request: FollowRequest) => Following
}

const PAGE_SIZE = 50

export function createApiClient({ call, ask }: ApiConnection): ApiClient {
  const at = (id: string, rest = ''): string => `api/sessions/${encodeURIComponent(id)}${rest}`

  return {
    list: ({ query, cursor, project, archived }) => {
      const search = new URLSearchParams({ limit: String(PAGE_SIZE) })
      if (query !== '') search.set('query', query)
      if (cursor !== null) search.set('cursor', cursor)
      if (project !== undefined) search.set('project', project)
      if (archived !== undefined) search.set('archived', String(archived))
      return ask('GET', `api/sessions?${search}`)
    },
    family: id => ask('GET', `api/sessions?${new URLSearchParams({ family: id, limit: '200' })}`),
    agents: () => ask('GET', 'api/agents'),
    councils: () => ask('GET', 'api/councils'),
    projects: () => ask('GET', 'api/projects'),
    policies: () => ask('GET', 'api/policies'),
    recallSwitches: () => ask('GET', 'api/memory?limit=1'),
    putCouncil: ({ key, ...council }) => ask('PUT', `api/councils/${encodeURIComponent(key)}`, council),
    show: id => ask('GET', at(id)),
    create: (whom, project, wish = {}) => ask('POST', 'api/sessions', { ...whom, ...wish, ...inProject(project) }),
    change: (id, changes) => ask('PATCH', at(id), changes),
    fork: (id, seq, redo) => ask('POST', at(id, '/fork'), { at: seq, redo }),
    wantsTitles: async () => {
      const read = await ask<ListedSettings>('GET', 'api/settings')
      return !read.ok || settingAt(read.value, 'titles.auto')?.value !== false
    },
    entitle: id => ask('POST', at(id, '/title'), {}),
    remove: id => ask('DELETE', at(id)),
    say: (id, { key, ...message }) => ask('POST', at(id, '/messages'), message, { 'idempotency-key': key }),
    quote: (id, text, to) => ask('POST', at(id, '/quote'), { text, ...(to === undefined ? {} : { to }) }),
    quoteFirst: (text, whom, project, wish) => ask('POST', 'api/quote', { text, ...whom, ...wish, ...inProject(project) }),
    usage: id => ask('GET', `api/usage?${new URLSearchParams({ session: id })}`),
    mark: (id, seq, mark, reach = 'session') =>
      ask('POST', at(id, '/marks'), { seq, mark, ...(mark === 'pin' && reach !== 'session' ? { reach } : {}) }),
    fold: (id, wish) => ask('POST', at(id, '/folds'), wish),
    editFold: (id, seq, text) => ask('PATCH', at(id, `/folds/${seq}`), { text }),
    redoFold: (id, seq, wish) => ask('PATCH', at(id, `/folds/${seq}`), { redo: true, ...wish }),
    removeFold: (id, seq) => ask('DELETE', at(id, `/folds/${seq}`)),
    file: (id, hash) => answered(call(at(id, `/files/${encodeURIComponent(hash)}`)), response => response.blob()),
    exported: (id, format) =>
      answered(call(at(id, `/export?format=${format}`)), async response => ({
        name: /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'conversation',
        blob: await response.blob(),
      })),
    bring: file => answered(call('api/import', { method: 'POST', body: file }), response => response.json()),
    cancel: (id, turn) => ask('POST', at(id, '/cancel'), turn === undefined ? {} : { turn }),
    exchange: id => ask('POST', at(id, '/rounds'), { rounds: 1 }),
    synthesize: (id, mode) => ask('POST', at(id, '/synthesis'), { mode }),
    resume: (id, turn) => ask('POST', at(id, '/resume'), turn === undefined ? {} : { turn }),
    sources: (id, turn) => ask('GET', at(id, `/turns/${encodeURIComponent(turn)}/sources`)),
    answer: (approval, answer, reason) =>
      ask('POST', `api/approvals/${encodeURIComponent(approval)}`, { answer, ...(reason === undefined ? {} : { reason }) }),
    follow: request => followStream(call, at(request.session, '/events'), request),
  }
}

async function answered<Value>(
  asked: Promise<Response>,
  read: (response: Response) => Promise<Value>,
): Promise<ApiResult<Value>> {
  try {
    const response = await asked
    return response.ok ? { ok: true, value: await read(response) } : { ok: false, problem: await readProblem(response) }
  } catch {
    return { ok: false, problem: UNREACHABLE }
  }
}

const inProject = (project: string | null): { readonly project?: string } => (project === null ? {} : { project })
