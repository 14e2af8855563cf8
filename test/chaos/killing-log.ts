// Stands in for the SQLite log inside the gateway that is to be killed: the same log, but for the moment of its death.
import { appendFileSync, existsSync } from 'node:fs'
import type { Log } from '../../src/log/ports.ts'
import { sqliteLog as realLog, type SqliteSettings } from '../../src/log/sqlite/sqlite-log.ts'
import type { Fact } from '../../src/model/event.ts'
import type { Fault } from '../../src/model/fault.ts'
import { ok, type Result } from '../../src/model/result.ts'
import { KEPT_FILE_VARIABLE, KILL_VARIABLE, type Kill, RECORD_FILE_VARIABLE } from './kill.ts'

const given = process.env[KILL_VARIABLE]
const kill = given === undefined ? undefined : (JSON.parse(given) as Kill)
const keptFile = process.env[KEPT_FILE_VARIABLE] ?? ''
const recordFile = process.env[RECORD_FILE_VARIABLE]

/** Nothing runs after it, in no thread. */
const die = (): void => void process.kill(process.pid, 'SIGKILL')

export async function sqliteLog(settings: SqliteSettings): Promise<Result<Log, Fault>> {
  const opened = await realLog(settings)
  if (!opened.ok) return opened
  const log = opened.value
  const nameOf = namer()
  let appends = 0
  return ok({
    ...log,
    append: async (id, facts, options) => {
      appends += 1
      const name = nameOf(facts)
      if (recordFile !== undefined) appendFileSync(recordFile, `${name}\n`)
      const isMeant = kill?.at === 'append' && [appends, name].includes(kill.point)
      if (isMeant && kill.when === 'before') die()
      const appended = await log.append(id, facts, options)
      if (isMeant) die()
      return appended
    },
    checkpoint: async (...given) => {
      const kept = await log.checkpoint(...given)
      // The provider holds its breath in the middle of a reply, and this is how far it had come.
      if (existsSync(keptFile)) die()
      return kept
    },
  })
}

/** Gives every append of a process a name that is the same in every run, whoever else speaks at the same time. */
function namer(): (facts: readonly Fact[]) => string {
  const voices = new Map<string, string>()
  const seen = new Map<string, number>()
  return facts =>
    facts
      .map(fact => {
        if (fact.type === 'turn.started') voices.set(fact.turn, fact.voice)
        const whose = fact.type === 'message.received' ? (fact.key ?? '') : 'turn' in fact ? (voices.get(fact.turn) ?? '?') : ''
        const name = `${fact.type} ${whose}`
        seen.set(name, (seen.get(name) ?? 0) + 1)
        return `${name} ${seen.get(name)}`
      })
      .join(' + ')
}
