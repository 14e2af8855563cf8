/** The answers to /context and /cost: what each voice was sent last, and what a session used and cost. */
import type { Engine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { ok, type Result } from '../../../model/result.ts'
import { isHouseVoice } from '../../../model/settings/council.ts'
import { type UsageSum, usageSum } from '../../../model/usage.ts'
import { leftOutWords, reported, rungs } from '../../cli/context/receipt-page.ts'
import { escapeToOneLine } from '../../cli/output/escape-for-terminal.ts'
import { foldSummary } from '../../cli/output/fold-words.ts'
import { counted, figure, money } from '../../cli/output/phrase.ts'
import { OUT_WORDS } from '../../cli/output/reason-words.ts'
import { partWords, pinnedElsewhere, recallSummary, seenWords } from '../../cli/output/seen-words.ts'
import { joined, plain, type RichText, styled } from './rich-text.ts'

/** The answer to /context has a block for each voice; more than this do not fit on a phone. */
const MOST_VOICES = 12

/** What each voice was sent last, in a few lines that fit on a phone. */
export async function contextWords(engine: Engine, session: SessionId): Promise<Result<RichText, Fault>> {
  const planned = await engine.read(session, { only: 'context.planned', newest: true, limit: 4 * MOST_VOICES })
  if (!planned.ok) return planned
  const newest = new Map<string, { readonly turn: TurnId; readonly step: number; readonly cause: number }>()
  for (const event of planned.value)
    if (event.type === 'context.planned' && !isHouseVoice(event.receipt.voice))
      newest.set(event.receipt.voice, { turn: event.turn, step: event.step, cause: event.receipt.inputs.cause })
  const cause = Math.max(...[...newest.values()].map(each => each.cause))
  const blocks: RichText[] = []
  for (const { turn, step } of [...newest.values()].filter(each => each.cause === cause).slice(0, MOST_VOICES)) {
    const sent = await engine.asSent(session, turn, step)
    if (!sent.ok) return sent
    blocks.push(joined(plain(blocks.length === 0 ? '' : '\n\n'), receiptWords(sent.value.receipt)))
  }
  return ok(blocks.length === 0 ? plain('Nothing was sent to a model here yet.') : joined(...blocks))
}

function receiptWords(receipt: Receipt): RichText {
  const { voice, model, policy, tokens, window, out, degraded, truncated, ladder } = receipt
  const lines = [
    `${escapeToOneLine(model)} · ${escapeToOneLine(policy)}`,
    `${figure(tokens.estimated)} of ${figure(tokens.limit)} tokens${reported(receipt)}`,
    seenWords(receipt),
    ...partWords(receipt),
    ...pinnedElsewhere(receipt),
    ...foldSummary(receipt),
    ...recallSummary(receipt),
    ...(window.begins === null ? [] : [`the window begins at seq ${window.begins}`]),
    ...(degraded === null ? [] : [`degraded: ${escapeToOneLine(degraded.reason)}`]),
    ...(truncated === undefined
      ? []
      : [`truncated: the model saw about ${figure(truncated.seen)} of ${figure(truncated.sent)} tokens`]),
    ...(ladder.length === 0 ? [] : [`gave way to make it fit: ${rungs(ladder)}`]),
    out.length === 0 ? 'nothing was left out' : 'left out:',
    ...out.map(line => `• ${OUT_WORDS[line.reason]}: ${leftOutWords(line)}`),
  ]
  return joined(styled(escapeToOneLine(voice), { type: 'bold' }), plain(`\n${lines.join('\n')}`))
}

/** What this session used and cost, and what all sessions used and cost today (in UTC). */
export async function costWords(engine: Engine, session: SessionId | undefined, now: number): Promise<Result<RichText, Fault>> {
  const here = session === undefined ? ok([]) : await engine.usage({ session })
  if (!here.ok) return here
  const today = await engine.usage({ since: new Date(now).toISOString().slice(0, 10) })
  if (!today.ok) return today
  return ok(
    joined(
      ...[styled('This session', { type: 'bold' }), plain(`\n${sumWords(usageSum(here.value))}\n\n`)],
      ...[styled('Today (UTC), all sessions', { type: 'bold' }), plain(`\n${sumWords(usageSum(today.value))}`)],
    ),
  )
}

const sumWords = ({ input, output, cacheRead, cacheWrite, costUsd, requests }: UsageSum): string =>
  requests === 0
    ? 'nothing was used'
    : [
        `${counted(requests, 'request')} · ${costUsd === null ? 'no price known' : money(costUsd)}`,
        `${figure(input + cacheRead + cacheWrite)} tokens in, ${figure(cacheRead)} of them cached · ${figure(output)} out`,
      ].join('\n')
