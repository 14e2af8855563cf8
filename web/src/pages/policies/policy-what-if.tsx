// Shows what a policy that is being edited would send of a real chat.
import { useState } from 'react'
import { seenIn } from '../../../../src/context/receipt/seen.ts'
import type { PolicySetting } from '../../../../src/model/settings/config.ts'
import { SelectField } from '../../form/select-field.tsx'
import { useStore } from '../../store/use-store.ts'
import type { InspectedRequest } from '../../wire/inspect-api.ts'
import { excerpt, formatCount, sessionTitle } from '../../words/words.ts'
import { useWhatIf, type WhatIfState } from './use-what-if.ts'

/** As many chats as a person looks through. */
const MOST = 40

/** Null while the policy cannot work. */
export function PolicyWhatIf({ setting }: { readonly setting: PolicySetting | null }): React.ReactNode {
  const sessions = useStore(state => state.sessions)
  const listed = useStore(state => state.listed)
  const chats = sessions.filter(({ messages }) => messages > 0).slice(0, MOST)
  const [chosen, setChosen] = useState<string | null>(null)
  const chat = chats.find(({ id }) => id === chosen) ?? chats[0]
  const now = useWhatIf(chat?.id ?? null, undefined)
  const then = useWhatIf(chat?.id ?? null, setting)
  return (
    <section className="policy-what-if" aria-label="What if">
      <h2>Try it on a chat</h2>
      {chat === undefined ? (
        <p className="page-note">
          {listed ? 'There are no chats yet. When there are, this shows what the policy sends of them.' : ''}
        </p>
      ) : (
        <>
          <SelectField
            label="Chat"
            value={chat.id}
            options={chats.map(each => ({ value: each.id, label: sessionTitle(each) }))}
            onChange={setChosen}
          />
          <WhatIfTable now={now} then={then} policy={chat.policy} />
        </>
      )}
    </section>
  )
}

type WhatIfTableProps = { readonly now: WhatIfState; readonly then: WhatIfState; readonly policy: string }

const ROWS: readonly (readonly [keyof WhatIfFigures, string])[] = [
  ['sent', 'Messages sent'],
  ['left', 'Left out'],
  ['tokens', 'Tokens'],
  ['first', 'First message sent'],
]

function WhatIfTable({ now, then, policy }: WhatIfTableProps): React.ReactNode {
  const problem = then.problem ?? now.problem
  const [before, after] = [now, then].map(({ value }) => (value === null ? null : whatIfFigures(value)))
  return (
    <>
      <table className="table what-if-table" aria-busy={then.isAsking}>
        <caption className="unseen">What the next request would send</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">Figure</span>
            </th>
            <th scope="col">Now ({policy})</th>
            <th scope="col">With this policy</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([key, words]) => (
            <tr key={key} data-figure={key}>
              <th scope="row">{words}</th>
              <td>{figure(before, key)}</td>
              <td>{figure(after, key)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {problem !== null && (
        <p className="form-error" role="alert">
          {problem.title}. {problem.detail}
        </p>
      )}
      <p className="unseen" role="status">
        {after === null || after === undefined || then.isAsking ? '' : `${after.sent} messages, ${after.tokens} tokens`}
      </p>
    </>
  )
}

const figure = (figures: WhatIfFigures | null | undefined, key: keyof WhatIfFigures): string =>
  figures === null || figures === undefined ? '…' : (figures[key] ?? 'only the new one')

type WhatIfFigures = {
  /** Messages that go in, as in "5 of 60". */
  readonly sent: string
  readonly left: string
  readonly tokens: string
  /** The words of the first message that is sent; null if only the new one is. */
  readonly first: string | null
}

function whatIfFigures({ receipt, items }: Pick<InspectedRequest, 'receipt' | 'items'>): WhatIfFigures {
  const { messages, of } = seenIn(receipt)
  const first = items?.find(({ kind, text }) => kind === 'message' && text.trim() !== '')
  return {
    sent: `${formatCount(messages)} of ${formatCount(of)}`,
    left: formatCount(Math.max(0, of - messages)),
    tokens: formatCount(receipt.tokens.estimated),
    first: first === undefined ? null : excerpt(first.text),
  }
}
