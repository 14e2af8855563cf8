/** Reads faults out of a model's name, for tests that can only choose a model. */
import type { FakeFault } from '../fake-script.ts'

type Rule = readonly [pattern: RegExp, make: (...found: string[]) => FakeFault]

const RULES: readonly Rule[] = [
  [/^status-(\d{3})$/, code => ({ type: 'status', code: Number(code) })],
  [/^status-(\d{3})-html$/, code => ({ type: 'status', code: Number(code), html: `<html><body><h1>${code}</h1></body></html>` })],
  [
    /^status-(\d{3})-retry-after-(.+)$/,
    (code, after = '') => ({ type: 'status', code: Number(code), headers: { 'retry-after': after } }),
  ],
  [/^delay-headers-(\d+)$/, ms => ({ type: 'delayHeaders', ms: Number(ms) })],
  [/^chunks-of-(\d+)$/, size => ({ type: 'chunks', sizes: [Number(size)] })],
  [/^chunks-of-(\d+)-every-(\d+)$/, (size, ms) => ({ type: 'chunks', sizes: [Number(size)], gapMs: Number(ms) })],
  [/^chunks-every-(\d+)$/, ms => ({ type: 'chunks', gapMs: Number(ms) })],
  [/^cut-at-(\d+)-rst$/, byte => ({ type: 'cutAt', byte: Number(byte), how: 'rst' })],
  [/^cut-at-(\d+)-fin$/, byte => ({ type: 'cutAt', byte: Number(byte), how: 'fin' })],
  [/^cut-at-(\d+)-end$/, byte => ({ type: 'cutAt', byte: Number(byte), how: 'end' })],
  [/^stall-at-(\d+)$/, byte => ({ type: 'stallAt', byte: Number(byte) })],
  [/^ping-every-(\d+)$/, ms => ({ type: 'pingEvery', ms: Number(ms) })],
  [/^error-event-([a-z_]+)$/, error => ({ type: 'errorEvent', error: String(error) })],
  [/^error-event-([a-z_]+)-at-(\d+)$/, (error, at) => ({ type: 'errorEvent', error: String(error), at: Number(at) })],
  [/^dup-ids$/, () => ({ type: 'dupIds' })],
  [/^no-terminal$/, () => ({ type: 'noTerminal' })],
  [/^after-done-hang$/, () => ({ type: 'afterDoneHang' })],
  [/^endless$/, () => ({ type: 'endless' })],
  [/^giant-line-(\d+)$/, bytes => ({ type: 'giantLine', bytes: Number(bytes) })],
  [/^bom$/, () => ({ type: 'bom' })],
  [/^crlf$/, () => ({ type: 'crlf' })],
  [/^many-data-lines$/, () => ({ type: 'manyDataLines' })],
  [/^gzip-bomb$/, () => ({ type: 'gzipBomb' })],
  [/^gzip-bomb-(\d+)$/, bytes => ({ type: 'gzipBomb', bytes: Number(bytes) })],
  [/^echo-key$/, () => ({ type: 'echoKey' })],
  [/^redirect$/, () => ({ type: 'redirect', to: '/elsewhere' })],
  [/^bad-json$/, () => ({ type: 'badJson' })],
  [/^unknown-events$/, () => ({ type: 'unknownEvents' })],
  [/^refuse-connections$/, () => ({ type: 'refuseConnections' })],
  [/^require-key-([\w-]+)$/, key => ({ type: 'requireKey', key: String(key) })],
]

/**
 * The faults that a model's name asks for, for tests that can only choose a model: `fault-` and the fault in lower case with
 * its numbers, several joined by `+`, anywhere in the name. `fault-stall-at-200`, `fault-status-429-retry-after-2`,
 * `vendor/fault-chunks-of-7-every-5+crlf`. An unknown fault gives a 400 that says so.
 */
export function faultsOf(model: string): readonly FakeFault[] {
  const [, names] = /\bfault-([\w+-]+)/.exec(model) ?? []
  return names === undefined ? [] : names.split('+').map(faultNamed)
}

function faultNamed(name: string): FakeFault {
  for (const [pattern, make] of RULES) {
    const found = pattern.exec(name)
    if (found !== null) return make(...found.slice(1))
  }
  return { type: 'status', code: 400, body: `there is no fault called ${name}` }
}
