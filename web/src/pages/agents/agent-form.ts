// Turns an agent into form fields and back.
import type { WrittenAgent } from '../../../../src/model/voice.ts'
import { SAMPLING_PATHS, type SamplingForm, samplingForm, settingsFromForm } from '../../form/sampling-form.ts'
import { type EquipmentForm, equipmentForm, equipmentFromForm } from '../equipment/equipment-form.ts'

/** An agent as form fields: every field is there, and empty if the file has no value. */
export type AgentForm = SamplingForm &
  EquipmentForm & {
    readonly key: string
    readonly name: string
    readonly description: string
    readonly color: string
    readonly prompt: string
    readonly personality: string
    readonly example: string
    /** An example may be data instead of text; it stays data for as long as it can be read as such. */
    readonly isData: boolean
    readonly suffix: string
    readonly isWithoutGuidance: boolean
    readonly model: string
    readonly policy: string
    readonly thinking: '' | 'on' | 'off'
    readonly protocol: 'native' | 'text'
  }

export const NEW_AGENT: WrittenAgent = { key: '', name: '', prompt: '' }

export const agentForm = (agent: WrittenAgent): AgentForm => ({
  key: agent.key,
  name: agent.name,
  description: agent.description ?? '',
  color: agent.color ?? '',
  prompt: agent.prompt,
  personality: agent.personality ?? '',
  example: typeof agent.example === 'object' ? JSON.stringify(agent.example, null, 2) : (agent.example ?? ''),
  isData: typeof agent.example === 'object',
  suffix: agent.suffix ?? '',
  isWithoutGuidance: agent.no_implementation === true,
  model: agent.model ?? '',
  policy: agent.policy ?? '',
  thinking: agent.thinking === undefined ? '' : agent.thinking ? 'on' : 'off',
  protocol: agent.protocol ?? 'native',
  ...samplingForm(agent),
  ...equipmentForm(agent),
})

/** What is empty is left out of the file. */
export function agentFromForm(form: AgentForm): WrittenAgent {
  const { key, name, prompt, isWithoutGuidance, thinking, protocol } = form
  const texts = { description: form.description, color: form.color, personality: form.personality, suffix: form.suffix }
  const choices = { model: form.model, policy: form.policy }
  return {
    key,
    name: name.trim(),
    prompt,
    ...Object.fromEntries(Object.entries({ ...texts, ...choices }).filter(([, value]) => value.trim() !== '')),
    ...(form.example.trim() === '' ? {} : { example: (form.isData ? dataIn(form.example) : undefined) ?? form.example }),
    ...(isWithoutGuidance ? { no_implementation: true } : {}),
    ...(thinking === '' ? {} : { thinking: thinking === 'on' }),
    ...settingsFromForm(form),
    ...equipmentFromForm(form),
    ...(protocol === 'text' ? { protocol } : {}),
  }
}

/** The fields that show beside themselves what is wrong with them, as the gateway names them. */
export const AGENT_PATHS: readonly string[] = [
  ...['key', 'name', 'description', 'color', 'prompt', 'personality', 'example', 'suffix', 'model', 'policy', 'tools', 'skills'],
  ...SAMPLING_PATHS,
]

function dataIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
