// The slash command for sampling and the length of replies.
import type { Session, SessionWish } from '../../../../engine.ts'
import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import { EFFORTS, SAMPLING_KEYS, type SamplingKey } from '../../../../model/sampling.ts'
import { samplingWords } from '../../../../model/sampling-words.ts'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import type { ChatContext } from '../chat-context.ts'
import { misused } from './command.ts'

const NAMES: readonly string[] = [...SAMPLING_KEYS, 'maxTokens']

/** Says how replies are sampled in this session, or changes one setting; `default` leaves it to the agent. */
export async function samplingCommand(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  if (rest === '') {
    chatContext.print(`${settingWords(chatContext.about())}; /sampling <${NAMES.join(' | ')}> <value | default> changes it`)
    return ok(null)
  }
  if (rest === 'default') return changed(chatContext, { sampling: null, maxTokens: null })
  const [, name = '', value = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? []
  if (!NAMES.includes(name) || value === '')
    return misused(`/sampling takes ${NAMES.join(', ')} and a value, or "default", as in /sampling temperature 0.2`)
  const wanted = value === 'default' ? null : settingIn(name, value)
  if (wanted === undefined) return misused(`${name} is ${KINDS[name] ?? 'a number'}`)
  return changed(
    chatContext,
    name === 'maxTokens' ? { maxTokens: wanted as number | null } : { sampling: { [name as SamplingKey]: wanted } },
  )
}

const KINDS: Readonly<Record<string, string>> = {
  temperature: 'a number from 0 to 2',
  topP: 'a number from 0 to 1',
  seed: 'a whole number',
  effort: `one of ${EFFORTS.join(', ')}`,
  maxTokens: 'a whole number from 1',
}

function settingIn(name: string, value: string): unknown {
  if (name === 'stop') return [value]
  if (name === 'effort') return EFFORTS.find(effort => effort === value)
  const number = /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  const isWhole = name === 'seed' || name === 'maxTokens'
  const [least, most] = name === 'seed' ? [-1e15, 1e15] : name === 'maxTokens' ? [1, 1e15] : [0, name === 'topP' ? 1 : 2]
  return number >= least && number <= most && (!isWhole || Number.isInteger(number)) ? number : undefined
}

async function changed(chatContext: ChatContext, wish: SessionWish): Promise<Result<unknown, Fault>> {
  const after = await chatContext.change(wish)
  if (after.ok) chatContext.note(`${settingWords(after.value)} from here on`)
  return after
}

function settingWords({ sampling, maxTokens }: Session): string {
  const limit = typeof maxTokens === 'number' ? [`maxTokens ${maxTokens}`] : []
  const words = [samplingWords(sampling), ...limit].filter(each => each !== '')
  return words.length === 0 ? 'replies are sampled as the agent is set' : escapeToOneLine(words.join(', '))
}
