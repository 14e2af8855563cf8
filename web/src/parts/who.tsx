import type { Whom } from '../client.ts'
import { useActions, useStore } from '../use-store.ts'

/** Who answers in the conversation that is about to begin; where there is only one, nothing is asked. */
export function Who(): React.ReactNode {
  const { choose } = useActions()
  const names = useStore(state => state.names)
  const councils = useStore(state => state.councils)
  const whom = useStore(state => state.whom)
  const agents = Object.entries(names)
  if (agents.length + councils.length < 2) return null
  return (
    <label className="who">
      Who answers
      <select value={optionOf(whom ?? { agent: agents[0]?.[0] ?? '' })} onChange={event => choose(whomOf(event.target.value))}>
        <optgroup label="Agents">
          {agents.map(([key, name]) => (
            <option key={key} value={optionOf({ agent: key })}>
              {name}
            </option>
          ))}
        </optgroup>
        {councils.length > 0 && (
          <optgroup label="Councils">
            {councils.map(({ key, name, advisors }) => (
              <option key={key} value={optionOf({ council: key })}>
                {name} ({advisors.filter(({ active }) => active).length} advisors)
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  )
}

const optionOf = (whom: Whom): string => ('council' in whom ? `council ${whom.council}` : `agent ${whom.agent}`)

function whomOf(value: string): Whom {
  const [kind, key = ''] = value.split(' ')
  return kind === 'council' ? { council: key } : { agent: key }
}
