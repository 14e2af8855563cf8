/** Runs a verb on the node that owns its session: here if that is this node, else there, by an order that it answers. */
import { setTimeout as pause } from 'node:timers/promises'
import { isStaleFence } from '../../log/append-rules.ts'
import { LOOK, type NodePorts, type SessionOrder } from '../../log/node-ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, type Result } from '../../model/result.ts'
import { BUG } from '../durable/bug-guard.ts'
import type { Ownership } from './ownership.ts'

/** Something that is done to a session, with arguments and an answer that JSON can carry. */
export type Verb<Given extends readonly unknown[], Value> = (id: SessionId, ...given: Given) => Promise<Result<Value, Fault>>

export type OwnersVerbs = {
  /** The verb as any node may call it; each has a name of its own. */
  readonly onOwner: <Given extends readonly unknown[], Value>(name: string, verb: Verb<Given, Value>) => Verb<Given, Value>
  /** Does what other nodes have ordered for a session of this one. */
  readonly obey: (session: SessionId) => Promise<void>
}

/** On a store with one user every verb runs here. */
export const SOLE_VERBS: OwnersVerbs = { onOwner: (_, verb) => verb, obey: async () => {} }

const POLL_MS = 50
/** How long the owner may take to answer. */
const ANSWER_MS = 15_000
const NOT_DONE: Fault = fault('overloaded', 'the node that runs this session did not answer; nothing was done, try again')
/** The owner has taken the order, and may still carry it out. */
const NO_ANSWER: Fault = fault(
  'overloaded',
  'the node that runs this session did not answer; look at the session, then try again',
)

export function createOwnersVerbs({
  ports: { orders, pokes },
  owners,
  mintOrder,
  onBug,
  answerMs = ANSWER_MS,
}: {
  readonly ports: Pick<NodePorts, 'orders' | 'pokes'>
  readonly owners: Ownership
  readonly mintOrder: () => string
  readonly onBug: (cause: unknown) => void
  readonly answerMs?: number
}): OwnersVerbs {
  const verbs = new Map<string, Verb<readonly unknown[], unknown>>()

  /** Leaves an order for the owner, and waits for its answer; carries it out here if this node becomes the owner meanwhile. */
  const ordered = async (session: SessionId, body: string, until: number): Promise<Result<unknown, Fault>> => {
    const id = mintOrder()
    const added = await orders.add({ id, session, body })
    if (!added.ok) return added
    pokes.send(session, LOOK)
    for (; performance.now() < until; await pause(POLL_MS)) {
      const reply = await orders.takeReply(id)
      if (reply.ok && reply.value !== undefined) return JSON.parse(reply.value) as Result<unknown, Fault>
      // The owner may have gone, or given the session back before it saw the order.
      const owned = await owners.own(session)
      if (owned.ok && owned.value !== undefined) await obey(session)
    }
    const withdrawn = await orders.withdraw(id)
    return err(withdrawn.ok && withdrawn.value ? NOT_DONE : NO_ANSWER)
  }

  const obey: OwnersVerbs['obey'] = session =>
    owners.during(session, async () => {
      const taken = await orders.take([session])
      if (taken.ok) await Promise.all(taken.value.map(carryOut))
    })

  const carryOut = async ({ id, session, body }: SessionOrder): Promise<void> => {
    const { verb, given } = JSON.parse(body) as { readonly verb: string; readonly given: readonly Given[] }
    const run = verbs.get(verb)
    const done = await (run?.(session, ...given.map(argument => argument[0])) ?? Promise.resolve(err(UNKNOWN_VERB))).catch(
      (cause: unknown) => {
        onBug(cause)
        return err(BUG)
      },
    )
    await orders.reply(id, JSON.stringify(done))
  }

  return {
    obey,
    onOwner: (name, verb) => {
      verbs.set(name, verb as unknown as Verb<readonly unknown[], unknown>)
      return async (id, ...given) => {
        for (const until = performance.now() + answerMs; performance.now() < until; await pause(POLL_MS)) {
          const owned = await owners.own(id)
          if (!owned.ok) return owned
          const body = JSON.stringify({ verb: name, given: given.map(argument => (argument === undefined ? [] : [argument])) })
          const done =
            owned.value === undefined ? await ordered(id, body, until) : await owners.during(id, () => verb(id, ...given))
          // It was the owner's no longer when it was done: the new owner does it.
          if (done.ok || !isStaleFence(done.fault)) return done as Awaited<ReturnType<typeof verb>>
        }
        return err(NO_ANSWER)
      }
    },
  }
}

/** An argument as JSON carries it: a list of one, or an empty one where it was left out. */
type Given = readonly [] | readonly [unknown]

/** During a rolling upgrade, a node may be asked for something that only a newer one can do. */
const UNKNOWN_VERB: Fault = fault('overloaded', 'the node that runs this session is of an older version; try again later')
