/** The ids of everything that has one, each with a type of its own. */
import { type Fault, fault } from './fault.ts'
import { err, ok, type Result } from './result.ts'

declare const brand: unique symbol
type Id<Name extends string> = string & { readonly [brand]: Name }

export type SessionId = Id<'session'>
export type TurnId = Id<'turn'>
export type ReceiptId = Id<'receipt'>
export type ApprovalId = Id<'approval'>
/** Names one fact, so that a writer who got no answer can write it again without writing it twice. */
export type EventId = Id<'event'>
/** Chosen by the provider that makes the call, so nothing is assumed about its form. */
export type CallId = string

export type IdKind = 'ses' | 'trn' | 'rcp' | 'apr' | 'evt'
type Ids = {
  readonly ses: SessionId
  readonly trn: TurnId
  readonly rcp: ReceiptId
  readonly apr: ApprovalId
  readonly evt: EventId
}
type IdOf<Kind extends IdKind> = Ids[Kind]

/** Makes a new id; chance lives outside the pure rooms, so it is handed in. */
export type Mint = <Kind extends IdKind>(kind: Kind) => IdOf<Kind>

const FORM = /^(ses|trn|rcp|apr)_[a-z0-9]{1,40}$/

const parseId =
  <Kind extends IdKind>(kind: Kind, name: string) =>
  (text: string): Result<IdOf<Kind>, Fault> =>
    FORM.test(text) && text.startsWith(`${kind}_`)
      ? ok(text as IdOf<Kind>)
      : err(fault('not-found', `there is no ${name} of that id`))

export const parseSessionId: (text: string) => Result<SessionId, Fault> = parseId('ses', 'session')
export const parseTurnId: (text: string) => Result<TurnId, Fault> = parseId('trn', 'turn')
export const parseApprovalId: (text: string) => Result<ApprovalId, Fault> = parseId('apr', 'approval')
export const parseReceiptId: (text: string) => Result<ReceiptId, Fault> = parseId('rcp', 'receipt')
