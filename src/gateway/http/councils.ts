import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import { imported } from '../council-edits.ts'
import type { Councils } from '../councils.ts'
import { parseAdvisors, parseCouncil } from '../councils-file.ts'
import { readBody } from './body.ts'
import { problemResponse } from './problem.ts'
import type { Env } from './streams.ts'

type Exchange = Context<Env>

/** What is wrong in it is said by the schema of the file, so that both doors use the same words. */
const anyObject: z.ZodType<unknown> = z
  .unknown()
  .refine(body => typeof body === 'object' && body !== null && !Array.isArray(body), 'expected an object')

/** Lists, writes and deletes councils; a council's advisors go out and come in as a file. */
export function councilRoutes(app: Hono<Env>, { councils }: { readonly councils: Councils }): void {
  app.get('/api/councils', c => c.json({ items: councils.now() }))

  app.put('/api/councils/:key', async c => {
    const body = await readBody(c.env.incoming, anyObject)
    const council = body.ok ? parseCouncil(keyOf(c), withoutKey(body.value, keyOf(c)), councils.setting) : body
    return answer(c, council.ok ? await councils.put(keyOf(c), council.value) : council)
  })

  app.delete('/api/councils/:key', async c => {
    const removed = await councils.remove(keyOf(c))
    return removed.ok ? c.body(null, 204) : problem(removed.fault)
  })

  app.get('/api/councils/:key/advisors', c => {
    const council = councils.now().find(({ key }) => key === keyOf(c))
    if (council === undefined) return problem(fault('not-found', `there is no council "${keyOf(c)}"`))
    // A key has nothing in it that a file name could not have.
    return c.json({ advisors: council.advisors }, 200, {
      'content-disposition': `attachment; filename="${council.key}-advisors.json"`,
    })
  })

  app.post('/api/councils/:key/advisors', async c => {
    const body = await readBody(c.env.incoming, anyObject)
    const advisors = body.ok ? parseAdvisors(body.value, councils.setting) : body
    if (!advisors.ok) return problem(advisors.fault)
    return answer(c, await councils.edit(keyOf(c), council => ok(imported(council, advisors.value))))
  })
}

/** As it came from here it may go back: with its own key in it. */
function withoutKey(body: unknown, key: string): unknown {
  const { key: given, ...rest } = body as Readonly<Record<string, unknown>>
  return given === key ? rest : body
}

const keyOf = (c: Exchange): string => c.req.param('key') ?? ''

const answer = (c: Exchange, result: Result<object, Fault>): Response =>
  result.ok ? c.json(result.value) : problem(result.fault)

/** On one line, as problems are. */
const problem = ({ kind, message }: Fault): Response => problemResponse({ fault: fault(kind, message.replaceAll('\n', '; ')) })
