// A program that knows the gateway only by its generated client: it is compiled against the live document, and then run.
import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' })

const { data: session, error } = await client.POST('/api/sessions', { body: { title: 'From a generated client' } })
if (session === undefined) throw new Error(error.detail)
const { id, title } = session

// What may also be a stream is a text then.
const json = <Value>(data: Value | string | undefined): Value => {
  if (data === undefined || typeof data === 'string') throw new Error('not JSON')
  return data
}

const said = await client.POST('/api/sessions/{id}/messages', { params: { path: { id } }, body: { text: 'Hello' } })
const [turn = ''] = json(said.data).turns

const types: string[] = []
let answer = ''
for (let after = 0, isOver = false; !isOver; ) {
  const page = await client.GET('/api/sessions/{id}/events', { params: { path: { id }, query: { after, limit: 2 } } })
  for (const event of json(page.data).items) {
    types.push(event.type)
    after = event.seq
    if (event.type === 'reply.finished') answer = event.parts.map(part => (part.type === 'text' ? part.text : '')).join('')
    isOver = event.type === 'turn.ended' && event.turn === turn
  }
}

const { data: models } = await client.GET('/api/models')
const demo: components['schemas']['ModelList']['items'][number] | undefined = models?.items.find(each => each.name === 'demo')

const completion = await client.POST('/v1/chat/completions', {
  body: { model: 'demo', messages: [{ role: 'user', content: 'hi' }] },
})
const content: string | null | undefined = json(completion.data).choices[0]?.message.content

const { error: problem, response } = await client.GET('/api/sessions/{id}', { params: { path: { id: 'ses_none' } } })
const fault: components['schemas']['Problem']['fault'] | undefined = problem?.fault

const { status } = response
process.stdout.write(JSON.stringify({ title, types, answer, window: demo?.window, content, status, fault }))
