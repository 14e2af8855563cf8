// Shows which requests contained a message.
import type { Engine } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import type { PrintedPage } from '../output/page.ts'
import { counted, figure } from '../output/phrase.ts'
import { reasonWords } from '../output/reason-words.ts'
import { turnsMeant } from './turns.ts'

export type WhereOptions = { readonly where: number; readonly voice?: string }

/** One request after a message: whether it contained the message, and why. */
export type Sighting = {
  readonly turn: number
  readonly step: number
  readonly voice: string
  readonly in: boolean
  /** The request has an excerpt of it. */
  readonly part?: true
  readonly reason: string
}

const PAGE = 200

/** Lists the requests after a message that contain it, and why others do not. */
export async function wherePage(
  engine: Engine,
  id: SessionId,
  options: WhereOptions,
  ink: Ink,
): Promise<Result<PrintedPage, Fault>> {
  const { where: seq, voice } = options
  const turns = await turnsMeant(engine, id, voice)
  if (!turns.ok) return turns
  const numbers = new Map(turns.value.map(turn => [turn.id, turn.number]))
  const newestFirst: Sighting[] = []
  for (let before: number | null | undefined; before !== null; ) {
    const page = await engine.presence(id, seq, { limit: PAGE, ...(before === undefined ? {} : { before }) })
    if (!page.ok) return page
    for (const { turn, step, voice: whose, in: isIn, part, reason } of page.value.items) {
      const number = numbers.get(turn)
      const sighting = { step, voice: whose, in: isIn, ...(part === undefined ? {} : { part }), reason }
      if (number !== undefined) newestFirst.push({ turn: number, ...sighting })
    }
    before = page.value.next
  }
  const sightings = newestFirst.toReversed()
  if (sightings.length === 0) return err(fault('not-found', `nothing was sent after seq ${seq}, so it is in no request yet`))
  return ok({ lines: linesOf(seq, sightings, ink), json: { seq, items: sightings } })
}

/** Consecutive requests of one voice with the same answer. */
export type SightingRange = Pick<Sighting, 'voice' | 'in' | 'part' | 'reason'> & { readonly from: number; readonly to: number }

export function sightingRanges(sightings: readonly Sighting[]): readonly SightingRange[] {
  return [...Map.groupBy(sightings, ({ voice }) => voice).values()].flatMap(own => {
    const stretches: SightingRange[] = []
    for (const { voice, in: isIn, part, reason, turn } of own) {
      const last = stretches.at(-1)
      if (last?.in === isIn && last.part === part && last.reason === reason)
        stretches[stretches.length - 1] = { ...last, to: turn }
      else stretches.push({ voice, in: isIn, ...(part === undefined ? {} : { part }), reason, from: turn, to: turn })
    }
    return stretches
  })
}

function linesOf(seq: number, sightings: readonly Sighting[], ink: Ink): readonly string[] {
  const stretches = sightingRanges(sightings)
  const voices = new Set(stretches.map(({ voice }) => voice))
  const rows = aligned(
    stretches.map(({ voice, in: isIn, part, reason, from, to }) => [
      isIn ? (part === true ? 'in part' : 'in') : 'out',
      from === to ? `turn ${figure(from)}` : `turns ${figure(from)}–${figure(to)}`,
      ...(voices.size === 1 ? [] : [escapeToOneLine(voice)]),
      reasonWords(reason),
    ]),
  )
  const held = sightings.filter(sighting => sighting.in).length
  const inPart = sightings.filter(sighting => sighting.part).length
  return [
    ink.bold(`Where seq ${seq} is in the requests after it`),
    '',
    ...rows.map((row, index) => (stretches[index]?.in === true ? ink.good(row) : ink.warn(row))),
    '',
    `  in ${figure(held)} of ${counted(sightings.length, 'request')}${inPart === 0 ? '' : `, in ${figure(inPart)} of them in part`}`,
  ]
}
