import { VoiceDot } from '../parts/voice-dot.tsx'
import type { Arrangement } from '../store/commands.ts'
import { useActions, useStore } from '../store/use-store.ts'
import type { Whom } from '../wire/client.ts'

/** Who answers: in this conversation from now on, or in the one that is about to begin. Where there is only one, nothing is asked. */
export function Who(): React.ReactNode {
  const { arrange } = useActions()
  const names = useStore(state => state.names)
  const councils = useStore(state => state.councils)
  const whom = useStore(state => state.whom)
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const agents = Object.entries(names)
  if (agents.length + councils.length < 2) return null
  const first: Whom = { agent: agents[0]?.[0] ?? '' }
  const now: Whom =
    session === null
      ? (whom ?? first)
      : about?.council != null
        ? { council: about.council }
        : { agent: about?.agent ?? first.agent }
  return (
    <span className="who">
      {'agent' in now && <VoiceDot voice={now.agent} />}
      <select
        className="pick pick-who"
        aria-label="Who answers"
        title="Who answers"
        value={optionOf(now)}
        onChange={event => arrange(whomOf(event.target.value)).catch(reportError)}
      >
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
        <Gone
          now={now}
          known={[...agents.map(([key]) => optionOf({ agent: key })), ...councils.map(({ key }) => optionOf({ council: key }))]}
        />
      </select>
    </span>
  )
}

/** Who is named in the conversation but not there any more. */
function Gone({ now, known }: { readonly now: Whom; readonly known: readonly string[] }): React.ReactNode {
  const option = optionOf(now)
  if (known.includes(option)) return null
  return <option value={option}>{'council' in now ? now.council : now.agent} (gone)</option>
}

const optionOf = (whom: Whom): string => ('council' in whom ? `council ${whom.council}` : `agent ${whom.agent}`)

function whomOf(value: string): Arrangement {
  const [kind, key = ''] = value.split(' ')
  return kind === 'council' ? { council: key } : { agent: key }
}
