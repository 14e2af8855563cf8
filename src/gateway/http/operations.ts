import type { z } from 'zod'
import { chatRequest } from '../ai-sdk/ui-message.ts'
import { chatCompletion } from '../openai/request.ts'
import { sentAgent } from '../workspace/agents-file.ts'
import { sentAdvisors, sentCouncil } from '../workspace/councils-file.ts'
import { projectText } from './routes/projects.ts'
import {
  approvalAnswer,
  dryRun,
  exchange,
  forked,
  marked,
  newMessage,
  newSession,
  noWish,
  quoted,
  quotedFirst,
  sessionChange,
  someTurn,
  suggested,
  synthesis,
} from './schemas.ts'

/** A route as it is described. */
export type Operation = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly path: string
  readonly summary: string
  readonly body?: z.ZodType
  readonly query?: readonly string[]
  readonly headers?: readonly string[]
  readonly answers: Readonly<Record<number, string>>
  readonly streams?: true
  /** Its body is a file, whatever its type. */
  readonly takesFile?: true
}

/** The contract's table of routes; a test holds it equal to the routes there are. */
export const OPERATIONS: readonly Operation[] = [
  { method: 'get', path: '/healthz', summary: 'The process can answer', answers: { 200: 'Alive' } },
  { method: 'get', path: '/readyz', summary: 'Ready, or degraded with its reasons', answers: { 200: 'Status and reasons' } },
  { method: 'get', path: '/metrics', summary: 'Measurements as Prometheus text', answers: { 200: 'Prometheus text' } },
  { method: 'get', path: '/openapi.json', summary: 'This document', answers: { 200: 'OpenAPI 3.1' } },
  { method: 'get', path: '/api/agents', summary: 'The agents there are', answers: { 200: 'Agents' } },
  {
    method: 'put',
    path: '/api/agents/{key}',
    summary: 'Write an agent whole: add it, or edit it; the first one is added behind "assistant"',
    body: sentAgent,
    answers: { 200: 'The agent as it is kept' },
  },
  {
    method: 'get',
    path: '/api/agents/{key}',
    summary: 'Show an agent as it is written',
    answers: { 200: 'The agent, with its text' },
  },
  {
    method: 'delete',
    path: '/api/agents/{key}',
    summary: 'Delete an agent; its sessions stay, and go on with the plain one',
    answers: { 204: 'Gone' },
  },
  { method: 'get', path: '/api/councils', summary: 'The councils there are', answers: { 200: 'Councils' } },
  {
    method: 'put',
    path: '/api/councils/{key}',
    summary: 'Write a council whole: add it, or add, edit, hide, remove and reorder its advisors',
    body: sentCouncil,
    answers: { 200: 'The council as it is kept' },
  },
  { method: 'delete', path: '/api/councils/{key}', summary: 'Delete a council', answers: { 204: 'Gone' } },
  {
    method: 'get',
    path: '/api/councils/{key}/advisors',
    summary: 'Export the advisors of a council as a file',
    answers: { 200: 'The advisors' },
  },
  {
    method: 'post',
    path: '/api/councils/{key}/advisors',
    summary: 'Import advisors: the same id takes the place of the one who had it, others are added; all or none',
    body: sentAdvisors,
    answers: { 200: 'The council as it is kept' },
  },
  {
    method: 'post',
    path: '/api/councils/{key}/suggestions',
    summary: 'Suggest advisors for a question, by the configured model; nothing is changed',
    body: suggested,
    answers: { 200: 'Suggested advisors, and the session in which the model was asked' },
  },
  {
    method: 'get',
    path: '/api/policies',
    summary: 'The policies there are, and which is the usual one',
    answers: { 200: 'Policies' },
  },
  {
    method: 'get',
    path: '/api/models',
    summary: 'The models and providers there are, and what each wants before it can be asked',
    answers: { 200: 'Models and providers' },
  },
  {
    method: 'post',
    path: '/api/chat',
    summary: 'A UI message in, a UI message stream out, for useChat clients; the id is a session',
    body: chatRequest,
    answers: { 200: 'A UI message stream, v1' },
    streams: true,
  },
  {
    method: 'get',
    path: '/api/chat/{id}',
    summary: 'What was said, as UI messages; an answer that is being given is not among them',
    answers: { 200: 'The newest messages, oldest first' },
  },
  {
    method: 'get',
    path: '/api/chat/{id}/stream',
    summary: 'Go on hearing the answer that is being given, from its beginning',
    answers: { 200: 'A UI message stream, v1', 204: 'Nothing is being answered' },
    streams: true,
  },
  {
    method: 'get',
    path: '/api/usage',
    summary: 'What was used and what it cost, by day and model',
    query: ['session', 'since'],
    answers: { 200: 'Rows and their total' },
  },
  {
    method: 'get',
    path: '/api/skills',
    summary: 'The skills, with their price in tokens in both modes, how they are sent now, and what is wrong with them',
    answers: { 200: 'The skills' },
  },
  {
    method: 'get',
    path: '/api/telegram',
    summary: 'How the door to Telegram stands: whether it listens, the bot, the chats on its list',
    answers: { 200: 'Its status' },
  },
  {
    method: 'post',
    path: '/api/telegram/pairings',
    summary: 'Make a code that lets one more chat in, for ten minutes and one use',
    body: noWish,
    answers: { 201: 'The code, and when it expires', 409: 'Telegram is not set up, or three codes wait already' },
  },
  {
    method: 'delete',
    path: '/api/telegram/chats/{id}',
    summary: 'Take a paired chat off the list',
    answers: { 204: 'Gone', 404: 'It is not paired', 409: 'It is in the settings' },
  },
  { method: 'get', path: '/api/tools', summary: 'What agents may use, and what asks first', answers: { 200: 'The tools' } },
  {
    method: 'get',
    path: '/api/projects',
    summary: 'The projects there are, with the price of their text in tokens',
    answers: { 200: 'Projects' },
  },
  {
    method: 'put',
    path: '/api/projects/{name}',
    summary: 'Make a project, or write its text anew',
    body: projectText,
    answers: { 200: 'The project as it is kept' },
  },
  {
    method: 'get',
    path: '/api/projects/{name}',
    summary: 'Show a project and its text',
    answers: { 200: 'The project' },
  },
  {
    method: 'post',
    path: '/api/quote',
    summary: 'What the first message of a session would take, before there is one; nothing is stored',
    body: quotedFirst,
    answers: { 200: 'The quote' },
  },
  { method: 'post', path: '/api/sessions', summary: 'Open a session', body: newSession, answers: { 201: 'The session' } },
  {
    method: 'get',
    path: '/api/sessions',
    summary: 'List sessions, newest first, or search titles and messages',
    query: ['query', 'project', 'parent', 'family', 'archived', 'cursor', 'limit'],
    answers: { 200: 'A page of sessions' },
  },
  { method: 'get', path: '/api/sessions/{id}', summary: 'Show a session', answers: { 200: 'The session' } },
  {
    method: 'patch',
    path: '/api/sessions/{id}',
    summary: 'Rename, archive, change the agent, council, policy, model, thinking or project',
    body: sessionChange,
    answers: { 200: 'The session' },
  },
  { method: 'delete', path: '/api/sessions/{id}', summary: 'Delete for good', answers: { 204: 'Gone' } },
  {
    method: 'post',
    path: '/api/sessions/{id}/fork',
    summary:
      'Open a session that shares everything up to and including a seq, and what was being said when the message at `unheard` came in; it answers nothing by itself',
    body: forked,
    answers: { 201: 'The new session', 400: 'The session does not reach that far' },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/title',
    summary: 'Have the house name a session by its first exchange',
    body: noWish,
    answers: {
      202: 'The turn that was started',
      409: 'It has a title, one is being made, or nothing was answered yet',
    },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/messages',
    summary: 'Say something; files and images go with it as parts, in base64',
    body: newMessage,
    headers: ['Idempotency-Key'],
    answers: { 202: 'Taken: its seq and the turns known to answer it' },
    streams: true,
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/events',
    summary: 'Read the events after a cursor, or follow them',
    query: ['after', 'limit'],
    headers: ['Last-Event-ID'],
    answers: { 200: 'A page of events' },
    streams: true,
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/files/{hash}',
    summary: 'The bytes of a file that came with a message of this session',
    answers: { 200: 'The file, as it came' },
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/export',
    summary: 'A conversation as a file: our archive, Markdown, a session file of Port 42, or one self-contained page',
    query: ['format'],
    answers: { 200: 'The file', 400: 'An unknown format' },
  },
  { method: 'get', path: '/api/export', summary: 'All sessions as one archive', answers: { 200: 'The archive' } },
  {
    method: 'post',
    path: '/api/import',
    summary: 'Take in the sessions of a file, all or none; its format is found by itself',
    query: ['format'],
    takesFile: true,
    answers: { 200: 'What came in, and what is to be known of it', 400: 'What is wrong with the file, and where' },
    streams: true,
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/cancel',
    summary: 'Stop running turns; partial text is kept',
    body: someTurn,
    answers: { 200: 'The turns that were stopped' },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/resume',
    summary: 'Go on with what failed or was interrupted in the last round, or with one turn; answer an unanswered message',
    body: someTurn,
    answers: { 202: 'The turns that were started', 409: 'Nothing to go on with' },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/rounds',
    summary: 'Let the advisors answer each other, so many rounds at most',
    body: exchange,
    answers: {
      202: 'Taken: the seq of the first round and its turns',
      400: 'This session has no council',
      409: 'A round is still being answered',
    },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/synthesis',
    summary: 'Have the house make something of a round',
    body: synthesis,
    answers: {
      202: 'The turn that was started',
      400: 'This session has no council',
      409: 'The round is still being answered, or nobody has answered',
    },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/quote',
    summary: 'What a message would take before it is said: tokens in and out, cached, and cost, for every voice',
    body: quoted,
    answers: { 200: 'The quote' },
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/turns/{turn}/sources',
    summary: 'What each sentence of a synthesis rests on, and whether its quotes are literal',
    answers: { 200: 'The sentences with their sources', 404: 'That turn is no synthesis' },
  },
  { method: 'get', path: '/api/approvals', summary: 'Tool calls that wait for a person', answers: { 200: 'The calls' } },
  {
    method: 'post',
    path: '/api/approvals/{id}',
    summary: 'Answer such a call; the first answer counts',
    body: approvalAnswer,
    answers: { 200: 'Answered', 409: 'Answered already' },
  },
  {
    method: 'get',
    path: '/api/grants',
    summary: 'What people allowed for a session or for good, and what that is bound to',
    answers: { 200: 'The grants' },
  },
  {
    method: 'delete',
    path: '/api/grants/{id}',
    summary: 'Take a grant back: the tool asks again',
    answers: { 204: 'Taken back', 404: 'There is no such grant' },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/marks',
    summary: 'Pin a message into, or keep it out of, every context from the next turn on',
    body: marked,
    answers: { 200: 'Marked' },
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/turns/{turn}/context',
    summary: 'What was sent, rebuilt from the log and compared with its digest',
    query: ['step', 'voice', 'items'],
    answers: {
      200: 'Receipt and request; with items=true also every item with its text, and the requests of this voice before and after',
    },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/context',
    summary: 'What would be sent, and what that would cost; nothing is stored',
    body: dryRun,
    answers: { 200: 'Receipt, request and cost; with items also every item with its text' },
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/events/{seq}/presence',
    summary: 'In which later requests something is that was said, and why; newest first',
    query: ['before', 'limit'],
    answers: { 200: 'A page of requests', 400: 'That event is nothing that was said' },
  },
  {
    method: 'get',
    path: '/api/receipts/{id}',
    summary: 'The receipt of any request, by its id, with where its conversation is, if that is kept',
    answers: { 200: 'The receipt' },
  },
  {
    method: 'post',
    path: '/v1/chat/completions',
    summary: "A chat completion for OpenAI's clients; kept only where metadata.session names a session",
    body: chatCompletion,
    headers: ['Idempotency-Key'],
    answers: { 200: 'A chat completion; with "stream": true, its chunks as server-sent events' },
  },
  {
    method: 'get',
    path: '/v1/models',
    summary: 'Agents, councils and the models that could be asked now, as OpenAI lists models',
    answers: { 200: 'The list' },
  },
  { method: 'get', path: '/v1/models/{id}', summary: 'One of them', answers: { 200: 'The model' } },
  {
    method: 'get',
    path: '/api/sessions/{id}/timeline',
    summary: 'The requests of a session in numbers, oldest first',
    query: ['after', 'limit'],
    answers: { 200: 'A page of requests' },
  },
]
