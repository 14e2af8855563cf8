// Finds the turn that each case of policy tests is about.
import type { Engine } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { isHouseVoice } from '../../../model/settings/council.ts'
import type { PolicyCase } from '../../workspace/policy-tests-file.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { sessionMeant } from '../sessions/find-session.ts'
import { listTurns, type Turn, turnNumbered, turnsOfVoice } from './turns.ts'

/** The turn that a case looks at, among the turns of its voice. */
export type CaseTurn = {
  readonly test: PolicyCase
  readonly session: SessionId
  readonly all: readonly Turn[]
  readonly turns: readonly Turn[]
  readonly turn: Turn
}

/** Finds the turn of every case before anything is planned, so that a wrong file gets all its complaints at once. */
export async function caseTurns(engine: Engine, cases: readonly PolicyCase[]): Promise<Result<readonly CaseTurn[], Fault>> {
  const places: CaseTurn[] = []
  const lines: string[] = []
  for (const [index, test] of cases.entries()) {
    const place = await placeOf(engine, test)
    if (place.ok) places.push(place.value)
    else lines.push(`cases.${index}.${place.fault.message}`)
  }
  return lines.length === 0 ? ok(places) : err(fault('invalid', lines.join('\n')))
}

async function placeOf(engine: Engine, test: PolicyCase): Promise<Result<CaseTurn, Fault>> {
  const session = await sessionMeant(engine, test.session)
  if (!session.ok) return at('session', session.fault)
  const { id } = session.value
  const read = await listTurns(engine, id)
  if (!read.ok) return at('session', read.fault)
  const all = read.value.filter(({ voice }) => !isHouseVoice(voice))
  const turns = ownTurns(all, test.voice)
  if (!turns.ok) return at('voice', turns.fault)
  for (const other of test.doesNotSee) {
    const seen = turnsOfVoice(all, other)
    if (!seen.ok) return at('doesNotSee', seen.fault)
  }
  const turn = turnNumbered(turns.value, test.turn === 'last' ? turns.value.length : test.turn)
  if (!turn.ok) return at('turn', fault('not-found', `this voice has no turn ${test.turn} there; it has ${turns.value.length}`))
  return ok({ test, session: id, all, turns: turns.value, turn: turn.value })
}

const at = (key: string, { kind, message }: Fault): Result<never, Fault> => err(fault(kind, `${key}: ${message}`))

/** A case need not name the voice if only one has answered. */
function ownTurns(all: readonly Turn[], wanted: string | undefined): Result<readonly Turn[], Fault> {
  if (wanted !== undefined) return turnsOfVoice(all, wanted)
  const [voice, ...others] = [...new Set(all.map(turn => turn.voice))]
  if (voice === undefined) return err(fault('not-found', 'there is no answer in this session yet; choose another'))
  if (others.length === 0) return turnsOfVoice(all, voice)
  return err(
    fault('invalid', `several have answered in this session; name one of ${[voice, ...others].map(escapeToOneLine).join(', ')}`),
  )
}
