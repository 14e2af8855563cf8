/** The lines under an answer, for any channel: what happened to it, and what to do. */
import type { Event } from '../../../model/event.ts'
import { escapeToOneLine } from '../../cli/output/escape-for-terminal.ts'
import { joined, plain, type RichText, styled } from './rich-text.ts'

type Ended = Extract<Event, { type: 'turn.ended' }>

/** What a person should know of an answer beside its words. */
export type Remarks = {
  /** Why it was given without the past, where it was. */
  readonly degraded: string | undefined
  /** That its model saw only a part of what was sent. */
  readonly truncated: string | undefined
  /** What is no longer sent, or only in part, with the request that says so first. */
  readonly window: string | undefined
  readonly isCutAtLength: boolean
  readonly ended: Pick<Ended, 'reason' | 'fault'> | undefined
  readonly isSilent: boolean
}

/** A line for each, in italics, under the answer: what happened, and what to do. */
export function footnotes({ degraded, truncated, window, isCutAtLength, ended, isSilent }: Remarks): RichText {
  const lines = [
    ...(degraded === undefined ? [] : [`Answered without what was said before: ${escapeToOneLine(degraded)}.`]),
    ...(truncated === undefined ? [] : [escapeToOneLine(truncated)]),
    ...(window === undefined ? [] : [`${escapeToOneLine(window)} /context says more.`]),
    ...(isCutAtLength && !isSilent ? ['Cut off at the reply limit. /resume continues it.'] : []),
    ...(ended === undefined ? [] : endWords(ended, isSilent)),
  ]
  return joined(...lines.flatMap((line, index) => [plain(index === 0 ? '' : '\n'), styled(line, { type: 'italic' })]))
}

function endWords({ reason, fault }: Pick<Ended, 'reason' | 'fault'>, isSilent: boolean): readonly string[] {
  switch (reason) {
    case 'done':
      return isSilent ? ['The answer is empty. /resume asks again.'] : []
    case 'failed':
      return [`It failed${fault === undefined ? '' : `: ${escapeToOneLine(fault.message)}`}. /resume tries again.`]
    case 'interrupted':
      return ['It was interrupted. /resume goes on with it.']
    case 'cancelled':
      return ['Stopped.']
    case 'limit':
      return [
        fault === undefined
          ? 'It stopped at the limit of steps in one turn. Say “go on” if it should.'
          : `It stopped: ${escapeToOneLine(fault.message)}. Say “go on” if it should.`,
      ]
  }
}
