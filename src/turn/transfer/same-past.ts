/** Compares a session that is already here with one of the same id from a file, event by event. */
import { factOf, writtenEvent } from '../../archive/output/turnwise.ts'
import { weigh } from '../../context/text/tokens.ts'
import type { EventLog, ImportedFact } from '../../log/ports.ts'
import type { Fact, Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'

/** A session that is here already, compared with one of the same id from a file, event by event. */
export type SamePast = {
  /** Whether the next event here is this one. */
  readonly isNext: (fact: Fact, at: string) => Promise<Result<boolean, Fault>>
  /** The events that were the same, page by page. They are read from the log, so that the caller need not keep them. */
  readonly again: () => AsyncGenerator<Result<readonly ImportedFact[], Fault>>
}

const PAGE = 200

export function createSamePast(log: EventLog, id: SessionId): SamePast {
  let page: readonly Recorded[] = []
  let at = 0
  let seq = 0

  const next = async (): Promise<Result<Recorded | undefined, Fault>> => {
    if (at === page.length) {
      const read = await log.read(id, { after: seq, limit: PAGE })
      if (!read.ok) return read
      page = read.value
      at = 0
    }
    return ok(page[at])
  }

  return {
    isNext: async (fact, when) => {
      const here = await next()
      if (!here.ok) return here
      const event = here.value
      if (event === undefined || written(event) !== writtenEvent(event.seq, when, fact)) return ok(false)
      at += 1
      seq = event.seq
      return ok(true)
    },
    async *again() {
      for (let after = 0; after < seq; ) {
        const read = await log.read(id, { after, through: seq, limit: PAGE })
        if (!read.ok) return yield read
        yield ok(read.value.map(asImported))
        after = read.value.at(-1)?.seq ?? seq
      }
    },
  }
}

const written = (event: Recorded): string => writtenEvent(event.seq, event.at, factOf(event))

function asImported(event: Recorded): ImportedFact {
  const fact = factOf(event)
  return { fact, at: event.at, ...weigh(fact) }
}
