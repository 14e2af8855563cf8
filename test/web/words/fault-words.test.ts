import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAULT_KINDS, type FaultKind, fault } from '../../../src/model/fault.ts'
import { faultWords, faultWordsOf } from '../../../web/src/words/fault-words.ts'

test('every kind of trouble says what happened and, unless a person did it, what to do', () => {
  for (const kind of FAULT_KINDS) {
    const { words, detail, remedy } = faultWordsOf(fault(kind, 'the reason'), 'anthropic/claude-x')
    assert.match(words, /^[A-Z].{5,}$/, kind)
    assert.doesNotMatch(words, /undefined|null/, kind)
    assert.equal(detail, kind === 'cancelled' ? null : 'The reason', kind)
    const isDecided = kind === 'cancelled' || kind === 'denied'
    assert.equal(remedy === null, isDecided, kind)
    assert.match(remedy ?? 'A word.', /^[A-Z].*\.$/, kind)
  }
})

test('it names who was asked, and what exactly to set', () => {
  const told = (kind: FaultKind, message: string, model: string | null): string => {
    const { words, remedy } = faultWordsOf(fault(kind, message), model)
    return `${words} — ${remedy}`
  }
  assert.equal(
    told('unauthorized', 'anthropic refused the key (401); set ANTHROPIC_API_KEY to one that is valid', 'anthropic/claude-x'),
    'Anthropic did not accept the key — Update the key here, or set ANTHROPIC_API_KEY where Turnwise runs, then try again.',
  )
  assert.match(
    told('unauthorized', 'lan needs a key; set providers.lan.apiKey', 'compatible/lan/m'),
    /^Lan needs a key — Update the key here, or set providers\.lan\.apiKey where/,
  )
  assert.match(told('unauthorized', 'openai wants to be paid first (402)', 'openai/gpt-x'), /OpenAI needs payment.*Add credit/s)
  assert.equal(
    told('not-found', 'ollama knows no such model', 'ollama/llama9'),
    'Ollama does not know this model (ollama/llama9) — Check the name ollama/llama9, or choose another model.',
  )
  assert.match(
    told('unreachable', 'ollama refused the connection; is it running? (ECONNREFUSED)', 'ollama/llama9'),
    /Is Ollama running\?/,
  )
  assert.match(
    told('unreachable', 'openai showed a certificate that cannot be trusted (X)', 'openai/gpt-x'),
    /certificate is not trusted/,
  )
  assert.match(told('unreachable', 'openai could not be reached', 'openai/gpt-x'), /network and the address of OpenAI/)
  assert.match(
    told('throttled', 'openai asks for fewer requests (429)', 'openai/gpt-x'),
    /^OpenAI asked us to slow down \(openai\/gpt-x\)/,
  )
  assert.match(told('too-long', '9000 tokens do not fit into 8192', 'ollama/llama9'), /larger window/)
  assert.match(told('budget', 'too much', 'openai/gpt-x'), /Raise the limit/)
})

test('where nobody knows who was asked, and of a kind from a newer gateway, it still makes sense', () => {
  assert.equal(faultWords(fault('throttled', 'slow')), 'The provider asked us to slow down')
  assert.deepEqual(faultWordsOf({ kind: 'brand-new' as FaultKind, message: '', retryable: false }), {
    words: 'Brand-new',
    detail: null,
    remedy: null,
  })
})
