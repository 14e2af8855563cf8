import type { Hono } from 'hono'
import { fault } from '../../../model/fault.ts'
import { ok } from '../../../model/result.ts'
import { imported } from '../../workspace/council-edits.ts'
import type { Councils } from '../../workspace/councils.ts'
import { parseAdvisors, parseCouncil } from '../../workspace/councils-file.ts'
import type { Env } from '../streams.ts'
import { answer, gone, keyOf, problem, sentBody } from '../written.ts'

/** Lists, writes and deletes councils; a council's advisors go out and come in as a file. */
export function councilRoutes(app: Hono<Env>, { councils }: { readonly councils: Councils }): void {
  app.get('/api/councils', c => c.json({ items: councils.now() }))

  app.put('/api/councils/:key', async c => {
    const body = await sentBody(c)
    const council = body.ok ? parseCouncil(keyOf(c), body.value, councils.setting) : body
    return answer(c, council.ok ? await councils.put(keyOf(c), council.value) : council)
  })

  app.delete('/api/councils/:key', async c => gone(c, await councils.remove(keyOf(c))))

  app.get('/api/councils/:key/advisors', c => {
    const council = councils.now().find(({ key }) => key === keyOf(c))
    if (council === undefined) return problem(fault('not-found', `there is no council "${keyOf(c)}"`))
    // A key has nothing in it that a file name could not have.
    return c.json({ advisors: council.advisors }, 200, {
      'content-disposition': `attachment; filename="${council.key}-advisors.json"`,
    })
  })

  app.post('/api/councils/:key/advisors', async c => {
    const body = await sentBody(c)
    const advisors = body.ok ? parseAdvisors(body.value, councils.setting) : body
    if (!advisors.ok) return problem(advisors.fault)
    return answer(c, await councils.edit(keyOf(c), council => ok(imported(council, advisors.value))))
  })
}
