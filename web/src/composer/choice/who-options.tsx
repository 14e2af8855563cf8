// Agents and councils as options of a select.
import type { Council } from '../../../../src/model/settings/council.ts'
import type { Arrangement } from '../../store/commands.ts'
import type { State } from '../../store/state.ts'
import type { NewSessionFor } from '../../wire/client.ts'

type WhoOptionsProps = { readonly names: State['names']; readonly councils: readonly Council[] }

/** Everybody who can answer, as the options of a select. */
export function WhoOptions({ names, councils }: WhoOptionsProps): React.ReactNode {
  return (
    <>
      <optgroup label="Agents">
        {Object.entries(names).map(([key, name]) => (
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
    </>
  )
}

export const optionOf = (whom: NewSessionFor): string => ('council' in whom ? `council ${whom.council}` : `agent ${whom.agent}`)

export function whomOf(value: string): Arrangement {
  const [kind, key = ''] = value.split(' ')
  return kind === 'council' ? { council: key } : { agent: key }
}
