// Turns a council into form fields and back.
import type { Advisor, Council, SynthesisMode } from '../../../../src/model/settings/council.ts'
import { COLORS } from '../../form/colors.ts'
import type { AdvisorInput, CouncilInput, SuggestedAdvisor } from '../../wire/workspace-api.ts'
import { type EquipmentForm, equipmentForm, equipmentFromForm, NO_LISTS } from '../equipment/equipment-form.ts'

/** An advisor as form fields: every field is there, and empty if the file has no value. */
export type AdvisorForm = EquipmentForm & {
  /** Tells the rows of a form apart, also those that have no id yet. */
  readonly row: string
  /** Empty for a new one: the gateway makes an id of its name. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly color: string
  readonly group: string
  readonly model: string
  readonly policy: string
  readonly thinking: '' | 'on' | 'off'
  readonly active: boolean
  readonly house: boolean
  /** What the form has no fields for; it stays as the file has it. */
  readonly kept: Pick<Advisor, 'sampling' | 'maxTokens'>
}

export type CouncilForm = {
  readonly key: string
  readonly name: string
  readonly advisors: readonly AdvisorForm[]
  readonly references: Council['references']
  /** A number as it is written. */
  readonly early: string
  readonly synthesis: '' | SynthesisMode
}

const BLANK: Omit<AdvisorForm, 'row'> = {
  ...{ id: '', name: '', description: '', color: '', group: '', model: '', policy: '' },
  ...{ thinking: '', active: true, house: false, kept: {} },
  ...NO_LISTS,
}

export const NEW_COUNCIL: CouncilForm = {
  ...{ key: '', name: '', references: 'last-round', early: '3', synthesis: '' },
  advisors: [{ ...BLANK, row: 'new 1', color: COLORS[0]?.hex ?? '' }],
}

export const councilForm = ({ key, name, advisors, references, early, synthesis }: Council): CouncilForm => ({
  ...{ key, name, references, early: String(early.turns), synthesis: synthesis ?? '' },
  advisors: advisors.map(advisorForm),
})

function advisorForm(advisor: Advisor): AdvisorForm {
  const { id, name, description, color, group = '', model = '', policy = '', thinking, active, house = false } = advisor
  const { sampling, maxTokens } = advisor
  const kept = { ...(sampling === undefined ? {} : { sampling }), ...(maxTokens === undefined ? {} : { maxTokens }) }
  const word = thinking === undefined ? '' : thinking ? 'on' : 'off'
  return {
    row: id,
    id,
    name,
    description,
    color,
    group,
    model,
    policy,
    thinking: word,
    active,
    house,
    kept,
    ...equipmentForm(advisor),
  }
}

/** What is empty is left out of the file. What is not a number is sent as it is written, for the gateway to say so. */
export function councilFromForm({ key, name, advisors, references, early, synthesis }: CouncilForm): CouncilInput {
  const turns = early.trim() === '' ? Number.NaN : Number(early)
  return {
    ...{ key, name: name.trim(), advisors: advisors.map(written), references },
    early: { turns: Number.isNaN(turns) ? (early as unknown as number) : turns },
    ...(synthesis === '' ? {} : { synthesis }),
  }
}

function written(form: AdvisorForm): AdvisorInput {
  const { id, color, group, model, policy } = form
  const texts = Object.entries({ id, color, group, model, policy }).filter(([, text]) => text.trim() !== '')
  return {
    ...{ name: form.name.trim(), description: form.description.trim(), active: form.active },
    ...Object.fromEntries(texts),
    ...(form.house ? { house: true } : {}),
    ...(form.thinking === '' ? {} : { thinking: form.thinking === 'on' }),
    ...form.kept,
    ...equipmentFromForm(form),
  }
}

/** Adds an advisor at the end, in the first unused color. */
export function withAdvisor(advisors: readonly AdvisorForm[], given: Partial<SuggestedAdvisor> = {}): readonly AdvisorForm[] {
  const taken = advisors.map(({ color }) => color.toLowerCase())
  const color = COLORS.find(({ hex }) => !taken.includes(hex))?.hex ?? ''
  const rows = advisors.flatMap(({ row }) => (row.startsWith('new ') ? [Number(row.slice(4))] : []))
  return [...advisors, { ...BLANK, ...given, color, row: `new ${Math.max(0, ...rows) + 1}` }]
}

/** One row nearer to the beginning or to the end; at the edge it stays. */
export function moved(advisors: readonly AdvisorForm[], index: number, by: -1 | 1): readonly AdvisorForm[] {
  const [one, other] = [advisors[index], advisors[index + by]]
  return one === undefined || other === undefined ? advisors : advisors.with(index, other).with(index + by, one)
}

const ADVISOR_FIELDS = ['name', 'description', 'color', 'group', 'model', 'policy', 'tools', 'skills'] as const

/** The fields that show beside themselves what is wrong with them, as the gateway names them. */
export const pathsOf = ({ advisors }: CouncilForm): readonly string[] => [
  ...['key', 'name', 'early', 'synthesis', 'references'],
  ...advisors.flatMap((_, index) => ADVISOR_FIELDS.map(field => `advisors.${index}.${field}`)),
]
