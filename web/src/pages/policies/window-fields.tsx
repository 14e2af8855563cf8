// The kind of a policy's window, and sliders for its numbers.
import type { Window } from '../../../../src/model/settings/policy.ts'
import { SliderField } from '../../form/slider-field.tsx'
import { ChoiceField } from '../choice.tsx'
import { fittedWindow, type PolicyForm, WINDOWS } from './policy-form.ts'
import { MESSAGE_STOPS, TOKEN_STOPS } from './policy-picture.ts'

type WindowFieldsProps = { readonly draft: PolicyForm; readonly change: (changes: Partial<PolicyForm>) => void }

const KINDS: readonly (readonly [Window['kind'], string])[] = [
  ['tokens', 'Grow, then drop'],
  ['last', 'Last messages'],
  ['head-tail', 'Beginning and end'],
  ['all', 'Everything'],
]

const SOME = MESSAGE_STOPS.slice(1)

/** Which part of a chat is sent, and how much a request may have. */
export function WindowFields({ draft, change }: WindowFieldsProps): React.ReactNode {
  const { window, render, budget } = draft
  const kinds = render === 'transcript' ? KINDS.filter(([kind]) => kind === 'all' || kind === 'last') : KINDS
  return (
    <>
      <ChoiceField
        label="What is sent"
        options={kinds}
        value={window.kind}
        onChange={kind => kind !== window.kind && change({ window: WINDOWS[kind] })}
      />
      <div className="policy-sliders">
        <WindowSliders window={window} onChange={(next, changed) => change({ window: fittedWindow(next, changed) })} />
        <SliderField
          label="Maximum tokens per request"
          unit="tokens"
          value={budget.tokens}
          stops={TOKEN_STOPS}
          least={1}
          automatic={{ words: 'Automatic: the model’s full window', otherwise: 16_000 }}
          onChange={tokens => change({ budget: { ...budget, tokens } })}
        />
        <SliderField
          label="Kept for the reply"
          unit="tokens"
          value={budget.reserve}
          stops={TOKEN_STOPS}
          least={1}
          automatic={{ words: 'Automatic: the model’s maximum, up to 32,000', otherwise: 4000 }}
          onChange={reserve => change({ budget: { ...budget, reserve } })}
        />
      </div>
    </>
  )
}

type WindowSlidersProps = { readonly window: Window; readonly onChange: (window: Window, changed: string) => void }

function WindowSliders({ window, onChange }: WindowSlidersProps): React.ReactNode {
  switch (window.kind) {
    case 'all':
      return null
    case 'last':
      return (
        <SliderField
          label="Messages before the new one"
          unit="messages"
          value={window.messages}
          stops={MESSAGE_STOPS}
          onChange={messages => onChange({ ...window, messages: messages ?? 0 }, 'messages')}
        />
      )
    case 'head-tail': {
      const set = (field: 'max' | 'head' | 'recent', value: number | null): void =>
        onChange({ ...window, [field]: value ?? 0 }, field)
      return (
        <>
          <SliderField
            label="From the beginning"
            unit="messages"
            value={window.head}
            stops={MESSAGE_STOPS}
            onChange={value => set('head', value)}
          />
          <SliderField
            label="From the end"
            unit="messages"
            value={window.recent}
            stops={SOME}
            least={1}
            onChange={value => set('recent', value)}
          />
          <SliderField
            label="Send everything up to"
            hint="A shorter chat is sent whole."
            unit="messages"
            value={window.max}
            stops={SOME}
            least={1}
            onChange={value => set('max', value)}
          />
        </>
      )
    }
    case 'tokens':
      return (
        <>
          <SliderField
            label="Grow to"
            hint="When a request has this many tokens, the oldest turns are dropped at once, so that prompt caches keep working."
            unit="tokens"
            value={window.high}
            stops={TOKEN_STOPS}
            least={2}
            automatic={{ words: 'Automatic: 75% of the available space, up to 60,000', otherwise: 24_000 }}
            onChange={high => onChange(high === null && window.low === null ? WINDOW_AUTOMATIC : { ...window, high }, 'high')}
          />
          <SliderField
            label="Drop to"
            unit="tokens"
            value={window.low}
            stops={TOKEN_STOPS}
            least={1}
            automatic={{ words: 'Automatic: a third of that', otherwise: 8000 }}
            onChange={low => onChange(low === null && window.high === null ? WINDOW_AUTOMATIC : { ...window, low }, 'low')}
          />
        </>
      )
  }
}

const WINDOW_AUTOMATIC = WINDOWS.tokens
