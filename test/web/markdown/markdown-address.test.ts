import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AllowedAddress, allowedAddressOf, hostOf, otherHost } from '../../../web/src/markdown/address.ts'
import { decodeReferences } from '../../../web/src/markdown/references.ts'

const ALLOWED: readonly (readonly [written: string, href: string])[] = [
  ['https://a.example', 'https://a.example/'],
  ['HTTP://A.example/B?c=d#e', 'http://a.example/B?c=d#e'],
  ['https://a.example:8443/', 'https://a.example:8443/'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://a.example/wiki/Fluß_(x)', 'https://a.example/wiki/Flu%C3%9F_(x)'],
  ['http://[::1]:80/', 'http://[::1]/'],
  ['mailto:a@b.example?subject=c', 'mailto:a@b.example?subject=c'],
]

test('addresses of the web and of mail are allowed, as a browser writes them', () => {
  for (const [written, href] of ALLOWED) assert.equal(allowedAddressOf(written), href)
})

const REFUSED: readonly string[] = [
  '',
  'javascript:x',
  'JAVASCRIPT:x',
  ' https://a.example',
  'java\nscript:x',
  'java\tscript:x',
  'https://a.example/\u0000',
  'https://a.example/\u202etxt',
  'https://a\u200b.example/',
  'https://a.example\\@b.example',
  'https:\\\\a.example',
  'https:/a.example',
  'https:a.example',
  'https:///a.example',
  '//a.example',
  '\\\\a.example',
  '/a',
  'a',
  '#a',
  '?a',
  'data:text/html,x',
  'vbscript:x',
  'file:///a',
  'ftp://a.example/',
  'blob:https://a.example/1',
  'http:javascript:x',
  'mailto:',
  'mailto://a',
  'https://user@a.example/',
  'https://user:word@a.example/',
  'https://:word@a.example/',
  'https://',
  'https://a b.example/',
  `https://a.example/${'x'.repeat(3000)}`,
]

test('any other address is refused', () => {
  for (const written of REFUSED) assert.equal(allowedAddressOf(written), null, JSON.stringify(written))
})

const address = (written: string): AllowedAddress => {
  const allowed = allowedAddressOf(written)
  assert.ok(allowed !== null)
  return allowed
}

test('an address is told by its host, or by whom the mail goes to', () => {
  assert.equal(hostOf(address('https://a.example:8443/b')), 'a.example:8443')
  assert.equal(hostOf(address('mailto:a@b.example?subject=c')), 'a@b.example')
})

/** The words of a link, and whether they name another place than `https://www.a.example/b`. */
const WORDS: readonly (readonly [words: string, other: boolean])[] = [
  ['click here', false],
  ['node.js and more', false],
  ['a.example', false],
  ['https://a.example/b', false],
  ['http://www.A.example/elsewhere', false],
  ['see https://a.example now', false],
  ['bank.example', true],
  ['bank.example/login?x', true],
  ['see https://bank.example now', true],
  ['visit www.bank.example please', true],
  ['ftp://bank.example', true],
  ['https://www.a.example@bank.example/', true],
  ['bank。example', true],
  ['bank․example', true],
  ['ｂａｎｋ．example', true],
  ['ba\u200bnk.example', true],
  ['а.example', true],
  ['help@bank.example', true],
  ['a.example:8080', true],
]

test('words that name another place than the link leads to are found out', () => {
  for (const [words, other] of WORDS) {
    const host = otherHost(words, address('https://www.a.example/b'))
    assert.equal(host, other ? 'www.a.example' : null, words)
  }
  assert.equal(otherHost('a@b.example', address('mailto:a@b.example')), null)
  assert.equal(otherHost('a@b.example', address('mailto:c@b.example')), 'c@b.example')
})

test('character references become characters once', () => {
  assert.equal(
    decodeReferences('&amp;lt; &#65;&#x42; &lt;&GT; &Tab; &#0;&#xD800;&#x110000; &__proto__; &'),
    '&lt; AB <&GT; &Tab; \ufffd\ufffd\ufffd &__proto__; &',
  )
})
