// Numbers the turns of a session as people count them.
import type { DryRun, Engine, SentContext } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { VoiceId } from '../../../model/voice.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'

/** A turn with its number, from 1. */
export type Turn = {
  readonly id: TurnId
  readonly number: number
  readonly cause: number
  readonly at: string
  readonly voice: VoiceId
  /** The name of the voice at that time. */
  readonly name?: string
}

/** What was sent in a turn. */
export type SentInTurn = { readonly turn: Turn; readonly context: SentContext }

export async function listTurns(engine: Engine, id: SessionId): Promise<Result<readonly Turn[], Fault>> {
  const started = await engine.read(id, { only: 'turn.started' })
  if (!started.ok) return started
  const turns = started.value.flatMap(event => (event.type === 'turn.started' ? [event] : []))
  return ok(
    turns.map(({ turn, cause, at, voice, name }, index) => ({
      id: turn,
      number: index + 1,
      cause,
      at,
      voice,
      ...(name === undefined ? {} : { name }),
    })),
  )
}

/** The turns that a command looks at: all of them, or those of one voice. */
export async function turnsMeant(
  engine: Engine,
  id: SessionId,
  voice: string | undefined,
): Promise<Result<readonly Turn[], Fault>> {
  const turns = await listTurns(engine, id)
  return turns.ok && voice !== undefined ? turnsOfVoice(turns.value, voice) : turns
}

/** The turns of one voice, found by its id or its name, numbered from 1. */
export function turnsOfVoice(turns: readonly Turn[], wanted: string): Result<readonly Turn[], Fault> {
  const isMeant = ({ voice, name }: Turn): boolean => voice === wanted || name?.toLowerCase() === wanted.toLowerCase()
  const own = turns.filter(isMeant)
  if (own.length > 0) return ok(own.map((turn, index) => ({ ...turn, number: index + 1 })))
  const known = [...new Set(turns.map(({ voice }) => voice))].map(escapeToOneLine).join(', ')
  const others = known === '' ? 'there is no answer here' : `known here: ${known}`
  return err(fault('not-found', `there is no voice "${escapeToOneLine(wanted)}" in this session; ${others}`))
}

/** The voice of these turns, if the person named one. */
export const voiceMeant = ([first]: readonly Turn[], wanted: string | undefined): Pick<DryRun, 'voice'> =>
  first === undefined || wanted === undefined ? {} : { voice: first.voice }

export function turnNumbered(turns: readonly Turn[], number: number): Result<Turn, Fault> {
  const turn = turns[number - 1]
  return turn === undefined ? err(fault('not-found', `there is no turn ${number}; this session has ${turns.length}`)) : ok(turn)
}

type SentOptions = { readonly turn?: number; readonly step?: number; readonly raw?: boolean; readonly items?: boolean }

/** What was sent in the given turn, or in the newest turn that sent anything: a turn may end before it sends a request. */
export async function sentIn(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  { turn: number, step, raw = false, items = false }: SentOptions,
): Promise<Result<SentInTurn, Fault>> {
  const asked = number === undefined ? undefined : turnNumbered(turns, number)
  if (asked?.ok === false) return asked
  for (const turn of asked === undefined ? turns.toReversed() : [asked.value]) {
    const context = await engine.asSent(id, turn.id, step, { whole: raw, items })
    if (context.ok) return ok({ turn, context: context.value })
    if (context.fault.kind !== 'not-found' || asked !== undefined) return context
  }
  return err(fault('not-found', 'nothing was sent in this session yet; say something with "turnwise ask -s"'))
}

/** Plans a turn again for its own voice: the message that caused it is the one to answer. */
export const momentOf = ({ cause, voice }: Turn): DryRun => ({ at: cause, voice })
