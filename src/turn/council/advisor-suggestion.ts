/** Writes the prompt that asks a model for advisors, and reads the advisors out of its answer. */
import { type Fault, fault } from '../../model/fault.ts'
import type { SystemPart } from '../../model/plan.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { compileCheck } from '../../tool/descriptor/check-arguments.ts'
import { PROMPTS } from './prompts.ts'

/** An advisor that a person may add to a council. */
export type Suggested = { readonly name: string; readonly description: string; readonly group?: string }

/** The form in which a model suggests advisors; more than it asks for does no harm. */
export const SUGGESTION_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    advisors: {
      type: 'array',
      minItems: 1,
      maxItems: 8,
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 80 },
          description: { type: 'string', minLength: 20, maxLength: 1500 },
          group: { type: 'string', minLength: 1, maxLength: 80 },
        },
        required: ['name', 'description'],
      },
    },
  },
  required: ['advisors'],
}

/** The prompt for a model that suggests advisors: the task, the form, and the advisors that the council has already. */
export function suggestionParts(
  schema: unknown,
  existing: readonly string[],
  words: string = PROMPTS.suggestion,
): readonly SystemPart[] {
  const part = (source: string, text: string): SystemPart => ({ source, reason: 'system.agent', text })
  return [
    part('suggestion', words),
    part('suggestion form', `The form, as JSON Schema:\n\n${JSON.stringify(schema, null, 2)}`),
    ...(existing.length === 0
      ? []
      : [part('advisors', `These are in the council already; suggest others:\n\n${existing.map(quoted).join('\n')}`)]),
  ]
}

/** The advisors in a model's answer, also out of a fenced block or the middle of a sentence. */
export function parseSuggestion(text: string): Result<readonly Suggested[], Fault> {
  const checked = objectsIn(text)
    .filter(isMeant)
    .map(cleaned)
    .map(value => ({ value, complaint: complaintOf(value) }))
  const sound = checked.find(({ complaint }) => complaint === undefined)
  if (sound !== undefined) return ok((sound.value as Suggestion).advisors)
  return err(unusable(checked[0]?.complaint?.replaceAll('\n', '; ') ?? 'it contains no whole JSON object with "advisors"'))
}

/** Any other object is an example, chatter, or a piece of one that was cut off. */
const isMeant = (value: object): value is { readonly advisors: unknown } => 'advisors' in value

type Suggestion = { readonly advisors: readonly Suggested[] }

const check = compileCheck(SUGGESTION_SCHEMA)

function complaintOf(value: object): string | undefined {
  if (!check.ok) throw new Error(`the schema of suggestions${check.fault}`)
  return check.value(value)
}

const unusable = (why: string): Fault =>
  fault('garbled', `the model's suggestion could not be used (${why}); nothing was changed, and asking again may help`)

const MOST_OBJECTS = 32
/** How much is looked through for the ends of objects, all in all: many times what the longest suggestion has. */
const MOST_LOOKED_AT = 400_000

/** Every JSON object in a text, outermost ones only. */
function objectsIn(text: string): readonly object[] {
  const objects: object[] = []
  let tried = 0
  let left = MOST_LOOKED_AT
  for (let from = text.indexOf('{'); from >= 0 && tried < MOST_OBJECTS && left > 0; tried += 1) {
    const to = endOfObject(text, from, from + left)
    left -= (to ?? text.length) - from
    const value = to === undefined ? undefined : parsed(text.slice(from, to))
    if (value !== undefined) objects.push(value)
    from = text.indexOf('{', value === undefined || to === undefined ? from + 1 : to)
  }
  return objects
}

/** After the brace that closes the one at `from`, if that is before `most`; braces in strings count for nothing. */
function endOfObject(text: string, from: number, most: number): number | undefined {
  let depth = 0
  let isString = false
  for (const { 0: sign, index } of text.slice(from, most).matchAll(/\\[\s\S]|["{}]/g)) {
    if (sign === '"') isString = !isString
    if (sign === '{' && !isString) depth += 1
    if (sign === '}' && !isString) depth -= 1
    if (depth === 0) return from + index + 1
  }
  return undefined
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

/** The same with visible characters only; what is not of the form is left for the check to name. */
const cleaned = ({ advisors }: { readonly advisors: unknown }): object => ({
  advisors: Array.isArray(advisors) ? advisors.map(cleanedAdvisor) : advisors,
})

function cleanedAdvisor(advisor: unknown): unknown {
  if (typeof advisor !== 'object' || advisor === null || Array.isArray(advisor)) return advisor
  const { name, description, group } = advisor as Readonly<Record<string, unknown>>
  const line = inOneLine(group)
  return {
    ...(name === undefined ? {} : { name: inOneLine(name) }),
    ...(description === undefined ? {} : { description: visible(description) }),
    // Models write `null` or an empty text for a field that they leave out.
    ...(line === undefined || line === null || line === '' ? {} : { group: line }),
  }
}

/** Control characters, and those that change how others are read. */
const UNSEEN = /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]--[\n\t]]/gv

const visible = (value: unknown): unknown => (typeof value === 'string' ? value.replace(UNSEEN, '').trim() : value)

const inOneLine = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/\s+/g, ' ').replace(UNSEEN, '').trim() : value

/** A name on one line; `JSON.stringify` escapes any line breaks in it. */
const quoted = (name: string): string => `- ${JSON.stringify(name)}`
