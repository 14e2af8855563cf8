// The tool that reads a listed skill.
import type { Settlement, Tool } from '../tool/toolbox.ts'
import { shownText } from './shown.ts'
import type { Skill } from './skill.ts'

/** How many known names a refusal lists. */
const MOST_NAMED = 50

/** Reads a skill that is only listed: from memory, by its exact name, and never from a path. */
export function readSkillTool(skills: () => readonly Skill[]): Tool {
  return {
    spec: {
      name: 'read_skill',
      description: "Reads a skill's full documentation. Use it before following a skill from the list.",
      parameters: {
        type: 'object',
        properties: { skill_name: { type: 'string', description: "The skill's name, exactly as the list has it." } },
        required: ['skill_name'],
        additionalProperties: false,
      },
    },
    approval: 'auto',
    parallel: true,
    idempotent: true,
    prepare: async args => {
      const name = nameIn(args)
      if (name === undefined) return { ok: false, outcome: 'skill_name must be the name of a skill, as text' }
      const known = new Map(skills().map(skill => [skill.name, skill]))
      const skill = known.get(name)
      return skill === undefined ? noSuch(name, [...known.keys()]) : { run: async () => settlementOf(skill) }
    },
  }
}

function nameIn(args: unknown): string | undefined {
  const isGiven = typeof args === 'object' && args !== null && 'skill_name' in args
  return isGiven && typeof args.skill_name === 'string' ? args.skill_name : undefined
}

const settlementOf = ({ name, body }: Skill): Settlement =>
  body === ''
    ? { ok: true, outcome: `skill ${name} has no text of its own` }
    : { ok: true, outcome: `skill ${name}`, content: body }

function noSuch(name: string, known: readonly string[]): Settlement {
  const more = known.length > MOST_NAMED ? `, and ${known.length - MOST_NAMED} more` : ''
  const names = known.length === 0 ? 'none' : known.slice(0, MOST_NAMED).join(', ') + more
  return { ok: false, outcome: `there is no skill named ${shownText(name)}; known: ${names}` }
}
