// Chooses how an agent's replies are sampled and how long they may be.
import { type Complaint, whyAt } from '../../form/complaints.ts'
import { SelectField } from '../../form/select-field.tsx'
import { TextArea } from '../../form/text-area.tsx'
import { TextField } from '../../form/text-field.tsx'
import { effortOptions } from '../../words/sampling-words.ts'
import type { AgentForm } from './agent-form.ts'

type AgentSamplingProps = {
  readonly draft: AgentForm
  readonly change: (changes: Partial<AgentForm>) => void
  readonly complaints: readonly Complaint[]
}

/** Sampling and the length of replies. What a model does not take, the gateway says beside the field. */
export function AgentSampling({ draft, change, complaints }: AgentSamplingProps): React.ReactNode {
  return (
    <>
      <h3 className="form-part">Replies</h3>
      <div className="form-pair">
        <SelectField
          label="Thinking effort"
          value={draft.effort}
          options={effortOptions('Default')}
          error={whyAt(complaints, 'sampling.effort')}
          hint="Anything but Off turns thinking on."
          onChange={effort => change({ effort })}
        />
        <TextField
          label="Maximum reply length"
          value={draft.maxTokens}
          placeholder="Default"
          isCode
          error={whyAt(complaints, 'maxTokens')}
          hint="In tokens, thinking not included."
          onChange={maxTokens => change({ maxTokens })}
        />
        <TextField
          label="Temperature"
          value={draft.temperature}
          placeholder="Default"
          isCode
          error={whyAt(complaints, 'sampling.temperature')}
          hint="From 0 to 2. Lower is more predictable."
          onChange={temperature => change({ temperature })}
        />
        <TextField
          label="Top P"
          value={draft.topP}
          placeholder="Default"
          isCode
          error={whyAt(complaints, 'sampling.topP')}
          hint="From 0 to 1. Only the most likely words are considered."
          onChange={topP => change({ topP })}
        />
        <TextField
          label="Seed"
          value={draft.seed}
          placeholder="None"
          isCode
          error={whyAt(complaints, 'sampling.seed')}
          hint="The same seed gives similar answers, where the model supports it."
          onChange={seed => change({ seed })}
        />
        <TextArea
          label="Stop sequences"
          value={draft.stop}
          rows={2}
          error={whyAt(complaints, 'sampling.stop')}
          hint="One per line. The reply ends before the first one."
          onChange={stop => change({ stop })}
        />
      </div>
    </>
  )
}
