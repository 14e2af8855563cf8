// What else a policy sends: thinking, times, quotes, summaries.
import type { FoldSetting } from '../../../../src/model/fold.ts'
import type { RecallSetting } from '../../../../src/model/recall.ts'
import { SelectField } from '../../form/select-field.tsx'
import { SliderField } from '../../form/slider-field.tsx'
import { Switch } from '../../form/switch.tsx'
import { type PolicyForm, withReferences, withRender } from './policy-form.ts'
import { TOKEN_STOPS } from './policy-picture.ts'

type PolicySwitchesProps = { readonly draft: PolicyForm; readonly change: (changes: Partial<PolicyForm>) => void }

export function PolicySwitches({ draft, change }: PolicySwitchesProps): React.ReactNode {
  const { thinking, stamps, references, render } = draft
  return (
    <section className="policy-switches" aria-label="What else is sent">
      <Recall recall={draft.recall ?? null} onChange={recall => change({ recall })} />
      {render === 'messages' && <Fold fold={draft.fold ?? null} onChange={fold => change({ fold })} />}
      <Switch
        label="Send thinking back within a turn"
        hint="Helps models that think between tool calls. Thinking of earlier turns is never sent."
        isOn={thinking === 'current'}
        onChange={isOn => change({ thinking: isOn ? 'current' : 'never' })}
      />
      <Switch
        label="Add the time to your messages"
        hint="Each of your messages begins with when you wrote it."
        isOn={stamps}
        onChange={isOn => change({ stamps: isOn })}
      />
      <Switch
        label="Quote what the other assistants said last"
        hint="An assistant then sees its own past and these quotes, and not all that others said."
        isOn={references === 'last-round'}
        onChange={isOn => change(withReferences(draft, isOn ? 'last-round' : 'none'))}
      />
      <Switch
        label="Send the chat as one text"
        hint="A transcript in one message, without summaries. For models that follow that better."
        isOn={render === 'transcript'}
        onChange={isOn => change(withRender(draft, isOn ? 'transcript' : 'messages'))}
      />
    </section>
  )
}

type RecallProps = { readonly recall: RecallSetting | null; readonly onChange: (recall: RecallSetting | null) => void }

function Recall({ recall, onChange }: RecallProps): React.ReactNode {
  return (
    <div className="policy-switch">
      <Switch
        label="Recall older messages that matter"
        hint="Messages that no longer fit and match the new one are quoted beside it."
        isOn={recall !== null}
        onChange={isOn => onChange(isOn ? { tokens: 'auto', from: 'session' } : null)}
      />
      {recall !== null && (
        <div className="policy-more">
          <SelectField
            label="From"
            value={recall.from}
            options={[
              { value: 'session', label: 'This chat' },
              { value: 'project', label: 'Chats in the same project' },
              { value: 'everywhere', label: 'All chats' },
            ]}
            onChange={from => onChange({ ...recall, from: from as RecallSetting['from'] })}
          />
          <SliderField
            label="Maximum tokens for quotes"
            unit="tokens"
            value={recall.tokens === 'auto' ? null : recall.tokens}
            stops={TOKEN_STOPS}
            least={1}
            automatic={{ words: 'Automatic: what leaving out old messages saves', otherwise: 1000 }}
            onChange={tokens => onChange({ ...recall, tokens: tokens ?? 'auto' })}
          />
        </div>
      )}
    </div>
  )
}

type FoldProps = { readonly fold: FoldSetting | null; readonly onChange: (fold: FoldSetting | null) => void }

function Fold({ fold, onChange }: FoldProps): React.ReactNode {
  return (
    <div className="policy-switch">
      <Switch
        label="Summarize what no longer fits"
        hint="A summary takes the place of messages before they are dropped."
        isOn={fold !== null}
        onChange={isOn => onChange(isOn ? { by: 'auto', tokens: 'auto' } : null)}
      />
      {fold !== null && (
        <div className="policy-more">
          <SelectField
            label="Summarized by"
            value={fold.by}
            options={[
              { value: 'auto', label: 'Automatic' },
              { value: 'model', label: 'The model' },
              { value: 'extract', label: 'Sentences taken word for word' },
            ]}
            onChange={by => onChange({ ...fold, by: by as FoldSetting['by'] })}
          />
          <SliderField
            label="Maximum tokens for a summary"
            unit="tokens"
            value={fold.tokens === 'auto' ? null : fold.tokens}
            stops={TOKEN_STOPS}
            least={50}
            automatic={{ words: 'Automatic', otherwise: 500 }}
            onChange={tokens => onChange({ ...fold, tokens: tokens ?? 'auto' })}
          />
        </div>
      )}
    </div>
  )
}
