// The options for sampling and the length of replies.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { EFFORTS, type Effort, isEmptySampling, type MessageSettings, type Sampling } from '../../../model/sampling.ts'

/** What a person says on the command line about replies. */
export type SamplingOptions = {
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly effort?: Effort
  readonly maxTokens?: number
}

/** Adds the options to a command. The gateway or engine says what a model does not take. */
export const addSamplingOptions = (command: Command): Command =>
  command
    .addOption(new Option('--temperature <number>', 'how much chance there is in the answer, 0 to 2').argParser(numberTo(2)))
    .addOption(new Option('--top-p <number>', 'choose only from the likeliest words, 0 to 1').argParser(numberTo(1)))
    .addOption(new Option('--seed <number>', 'ask for the same answer again, where the model can').argParser(wholeNumber))
    .addOption(new Option('--stop <text>', 'end the answer before this text; may be given up to four times').argParser(several))
    .addOption(new Option('--effort <level>', 'how hard to think').choices(EFFORTS))
    .addOption(new Option('--max-tokens <number>', 'the most tokens an answer may have').argParser(atLeastOne))

/** The options as a message or a session has them. */
export function replySettingsOf({ temperature, topP, seed, stop, effort, maxTokens }: SamplingOptions): MessageSettings {
  const sampling: Sampling = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined ? {} : { stop }),
    ...(effort === undefined ? {} : { effort }),
  }
  return { ...(isEmptySampling(sampling) ? {} : { sampling }), ...(maxTokens === undefined ? {} : { maxTokens }) }
}

function numberTo(most: number): (text: string) => number {
  return text => {
    if (!/^\d+(?:\.\d+)?$/.test(text) || Number(text) > most)
      throw new InvalidArgumentError(`It must be a number from 0 to ${most}.`)
    return Number(text)
  }
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

const MOST_STOPS = 4

function several(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  if (before.length === MOST_STOPS) throw new InvalidArgumentError(`There can be at most ${MOST_STOPS}.`)
  return [...before, text]
}
