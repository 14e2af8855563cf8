import type { Hono } from 'hono'
import { z } from 'zod'
import type { Engine } from '../../../engine.ts'
import type { Projects } from '../../workspace/projects.ts'
import { readBody } from '../body.ts'
import type { Env } from '../streams.ts'
import { answer } from '../written.ts'

/** It goes with every request of its sessions; more would leave no room for what is said. */
const MOST_CHARACTERS = 200_000

export const projectText: z.ZodType<{ readonly context: string }> = z.strictObject({
  context: z
    .string()
    .max(MOST_CHARACTERS, `is too long; at most ${MOST_CHARACTERS} characters`)
    .refine(text => text.isWellFormed() && !text.includes('\0'), 'has characters that no text file can keep'),
})

type Doors = { readonly engine: Pick<Engine, 'projects' | 'tokensIn'>; readonly projects: Projects }

/** Lists, shows and writes projects. */
export function projectRoutes(app: Hono<Env>, { engine, projects }: Doors): void {
  const listed = async (name: string): Promise<object> => {
    const project = await projects.read(name)
    return project.ok ? { name, tokens: engine.tokensIn(project.value.context.trim()) } : { name }
  }

  app.get('/api/projects', async c => c.json({ items: await Promise.all((await engine.projects()).map(listed)) }))

  app.get('/api/projects/:name', async c => answer(c, await projects.read(c.req.param('name'))))

  app.put('/api/projects/:name', async c => {
    const body = await readBody(c.env.incoming, projectText)
    return answer(c, body.ok ? await projects.write({ name: c.req.param('name'), ...body.value }) : body)
  })
}
