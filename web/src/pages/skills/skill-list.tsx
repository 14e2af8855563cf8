// The skills with their prices, each on or off.
import { Switch } from '../../form/switch.tsx'
import type { ListedSkills, SkillRow } from '../../wire/workspace-api.ts'
import { skillPriceWords } from '../../words/skill-words.ts'
import { SelectSetting } from '../settings/setting-fields.tsx'
import type { SettingsEditing } from '../settings/use-settings.ts'

type SkillListProps = { readonly skills: ListedSkills; readonly editing: SettingsEditing }

const MODES = [
  { value: 'auto', label: 'Automatic: in full while they are small' },
  { value: 'full', label: 'In full with every request' },
  { value: 'readOnDemand', label: 'As a list, read on demand' },
]

export function SkillList({ skills, editing }: SkillListProps): React.ReactNode {
  const { items, mode, disabled = [], directories = [], troubles = [] } = skills
  const isFixed = editing.at('skills.disabled')?.editable !== true
  const turn = (name: string, isOn: boolean): void => {
    const others = disabled.filter(each => each !== name)
    editing.change({ skills: { disabled: isOn ? others : [...others, name] } }).catch(reportError)
  }
  return (
    <section className="page-part" aria-labelledby="skills">
      <h2 id="skills">Skills</h2>
      <SelectSetting
        editing={editing}
        path="skills.contextMode"
        label="How skills are sent"
        options={MODES}
        hint="Automatic: in full as long as they take no more than a quarter of the request, else as a list."
      />
      {troubles.length > 0 && (
        <ul className="troubles" aria-label="What is wrong">
          {troubles.map(trouble => (
            <li key={trouble}>{trouble}</li>
          ))}
        </ul>
      )}
      {items.length + disabled.length === 0 ? (
        <p className="empty">
          There are no skills. A skill is a folder <code>skills/&lt;name&gt;</code> with a <code>SKILL.md</code>.
        </p>
      ) : (
        <ul className="cards">
          {items.map(skill => (
            <SkillCard key={skill.name} skill={skill} mode={mode} isFixed={isFixed} onOff={() => turn(skill.name, false)} />
          ))}
          {disabled.map(name => (
            <li key={name} className="card" data-off="true" data-skill={name}>
              <h3 className="unseen">{name}</h3>
              <Switch
                label={name}
                hint="Off. It isn’t sent, and its tools aren’t available."
                isOn={false}
                onChange={() => turn(name, true)}
              />
            </li>
          ))}
        </ul>
      )}
      {directories.length > 0 && (
        <p className="page-note">
          Read before every turn from{' '}
          {directories.map((directory, index) => (
            <span key={directory}>
              {index > 0 && ', '}
              <code>{directory}</code>
            </span>
          ))}
          .
        </p>
      )}
    </section>
  )
}

type SkillCardProps = {
  readonly skill: SkillRow
  readonly mode: ListedSkills['mode']
  readonly isFixed: boolean
  readonly onOff: () => void
}

function SkillCard({ skill, mode, isFixed, onOff }: SkillCardProps): React.ReactNode {
  const { name, description, tools } = skill
  return (
    <li className="card" data-skill={name}>
      <h3 className="unseen">{name}</h3>
      {isFixed ? <strong>{name}</strong> : <Switch label={name} isOn onChange={onOff} />}
      <p className="card-about">{description}</p>
      <p className="card-facts">
        <span>{skillPriceWords(skill, mode)}</span>
      </p>
      {tools.length > 0 && (
        <p className="card-facts">
          <span>Tools:</span>
          {tools.map(tool => (
            <code key={tool}>{tool}</code>
          ))}
        </p>
      )}
    </li>
  )
}
