/** The ports of several nodes on one store in memory: for engines in one process that behave as if they were on several machines. */

import type { Recorded } from '../../model/event.ts'
import { fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import { NO_SESSION } from '../faults.ts'
import { isJob, type KeptDocument, type Lease, type NodePorts, type SessionLook, type SessionOrder } from '../node-ports.ts'
import type { Clock } from '../ports.ts'
import { openTurnsOf, type Row } from './memory-rows.ts'

type HeldLease = Lease & { readonly until: number }
type Listener = (session: SessionId, head: number) => void
type Reserved = { readonly day: string; readonly usd: number; readonly until: number }

const ORDERS_MS = 60_000

export function memoryNodes(rows: ReadonlyMap<SessionId, Row>, clock: Clock, spentOn: (day: string) => number): NodePorts {
  const leases = new Map<string, HeldLease>()
  const listeners = new Set<Listener>()
  const orders = new Map<string, SessionOrder & { readonly at: number; readonly row: Row }>()
  const replies = new Map<string, { readonly body: string; readonly at: number }>()
  const documents = new Map<string, KeptDocument>()
  const reserved = new Map<string, Reserved>()
  let revision = 0

  const isRunning = (key: string): boolean => (leases.get(key)?.until ?? 0) > clock()
  /** Orders go with their session: one that was opened later under the same id has another row. */
  const ordersOf = (...ids: readonly SessionId[]): readonly SessionOrder[] =>
    [...orders.values()].filter(
      ({ session, at, row }) => ids.includes(session) && clock() - at < ORDERS_MS && rows.get(session) === row,
    )
  const look = (id: SessionId, row: Row): SessionLook => ({
    head: row.standing.head,
    hasOrders: ordersOf(id).length > 0,
    checkpoints: structuredClone([...row.checkpoints.values()]),
  })

  return {
    leases: {
      take: async (key, node, ms) => {
        const row = rows.get(key as SessionId)
        const held = leases.get(key)
        if (held !== undefined && isRunning(key) && held.node !== node) return ok({ node: held.node, fence: held.fence })
        if (row === undefined && !isJob(key)) return err(NO_SESSION)
        const isKept = held !== undefined && isRunning(key) && held.node === node
        const fence = isKept ? held.fence : Math.max(held?.fence ?? 0, row?.fence ?? 0) + 1
        leases.set(key, { node, fence, until: clock() + ms })
        // From this moment on an append under an older lease is refused.
        if (row !== undefined) row.fence = Math.max(row.fence, fence)
        return ok({ node, fence })
      },
      renew: async (node, wanted, ms) => {
        const ours = wanted.filter(({ key, fence }) => leases.get(key)?.node === node && leases.get(key)?.fence === fence)
        for (const { key, fence } of ours) leases.set(key, { node, fence, until: clock() + ms })
        return ok(ours.map(({ key }) => key))
      },
      giveBack: async (node, keys) => {
        for (const key of keys) {
          const held = leases.get(key)
          // Without a node it cannot be renewed any more.
          if (held?.node === node) leases.set(key, { ...held, node: '', until: 0 })
        }
        return ok(null)
      },
      orphans: async (after, limit) => {
        const found = [...rows]
          .filter(([id, row]) => id > after && !isRunning(id) && hasWork(row, ordersOf(id)))
          .map(([id]) => id)
          .sort((a, b) => (a < b ? -1 : 1))
        return ok(found.slice(0, limit))
      },
    },
    pokes: {
      send: (session, head) => {
        setImmediate(() => {
          for (const listener of listeners) listener(session, head)
        })
      },
      listen: onPoke => {
        listeners.add(onPoke)
        return { stop: async () => void listeners.delete(onPoke) }
      },
      arrive: () => true,
    },
    watch: {
      looks: async ids => {
        const found = ids.flatMap(id => {
          const row = rows.get(id)
          return row === undefined ? [] : ([[id, look(id, row)]] as const)
        })
        return ok(new Map(found))
      },
      approvals: async () => {
        const events = [...rows.values()].flatMap(row => {
          const open = new Set(openTurnsOf(row).map(({ turn }) => turn))
          return row.events.filter(
            (event): event is Extract<Recorded, { turn: string }> & Recorded =>
              (event.type === 'approval.asked' || event.type === 'approval.answered') && open.has(event.turn),
          )
        })
        return ok(
          structuredClone(events.sort((a, b) => (a.session === b.session ? a.seq - b.seq : a.session < b.session ? -1 : 1))),
        )
      },
    },
    orders: {
      add: async order => {
        const row = rows.get(order.session)
        if (row === undefined) return err(NO_SESSION)
        if (!orders.has(order.id)) orders.set(order.id, { ...order, at: clock(), row })
        return ok(null)
      },
      take: async ids => {
        const taken = ordersOf(...ids)
        for (const { id } of taken) orders.delete(id)
        return ok(taken.map(({ id, session, body }) => ({ id, session, body })))
      },
      reply: async (id, body) => {
        replies.set(id, { body, at: clock() })
        return ok(null)
      },
      withdraw: async id => ok(orders.delete(id)),
      takeReply: async id => {
        const reply = replies.get(id)
        replies.delete(id)
        return ok(reply !== undefined && clock() - reply.at < ORDERS_MS ? reply.body : undefined)
      },
    },
    documents: {
      changed: async after =>
        ok([...documents.values()].filter(each => each.revision > after).sort((a, b) => a.revision - b.revision)),
      write: async (name, text, expect) => {
        const before = documents.get(name)?.revision ?? 0
        if (expect !== undefined && expect !== before)
          return err(fault('conflict', `${name}: it was changed on another node; try again`))
        revision += 1
        documents.set(name, { name, text, revision })
        return ok(revision)
      },
    },
    reservations: {
      reserve: async ({ id, day, usd, limit, ms }) => {
        const others = [...reserved].filter(([other, each]) => other !== id && each.day === day && each.until > clock())
        const left = limit - spentOn(day) - others.reduce((sum, [, each]) => sum + each.usd, 0)
        if (usd > left) return ok({ isReserved: false, left })
        reserved.set(id, { day, usd, until: clock() + ms })
        return ok({ isReserved: true, left })
      },
      settle: async id => {
        reserved.delete(id)
        return ok(null)
      },
    },
  }
}

const hasWork = (row: Row, orders: readonly SessionOrder[]): boolean =>
  row.standing.due.length > 0 || orders.length > 0 || openTurnsOf(row).length > 0
