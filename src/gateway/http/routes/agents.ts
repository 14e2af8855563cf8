import type { Hono } from 'hono'
import type { Engine } from '../../../engine.ts'
import type { Agent } from '../../../model/voice.ts'
import { type Agents, missing } from '../../workspace/agents.ts'
import { parseAgent } from '../../workspace/agents-file.ts'
import type { Env } from '../streams.ts'
import { answer, gone, keyOf, problem, sentBody } from '../written.ts'

type Doors = { readonly engine: Pick<Engine, 'agents'>; readonly agents: Agents }

/** Lists, shows, writes and deletes agents. */
export function agentRoutes(app: Hono<Env>, { engine, agents }: Doors): void {
  app.get('/api/agents', c => c.json({ items: engine.agents().map(shown) }))

  app.get('/api/agents/:key', c => {
    const key = keyOf(c)
    // Who stands in no file, as the one that is there when nobody is named, is shown as it is.
    const found = agents.now().written.find(agent => agent.key === key) ?? engine.agents().find(agent => agent.key === key)
    const known = engine.agents().map(agent => agent.key)
    return found === undefined ? problem(missing(key, known)) : c.json(found)
  })

  app.put('/api/agents/:key', async c => {
    const body = await sentBody(c)
    const agent = body.ok ? parseAgent(keyOf(c), body.value, agents.setting) : body
    return answer(c, agent.ok ? await agents.put(agent.value) : agent)
  })

  app.delete('/api/agents/:key', async c => gone(c, await agents.remove(keyOf(c))))
}

/** What one chooses an agent by; its text is for whoever asks for it. */
const shown = ({ key, name, description, color, model, policy, thinking }: Agent): object => ({
  key,
  name,
  description,
  color,
  model,
  policy,
  thinking,
})
