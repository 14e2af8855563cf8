import assert from 'node:assert/strict'
import { test } from 'node:test'
import { match } from '../../../web/src/frame/palette/match.ts'
import { commandEntries, type PaletteEntry, rank, recentOf, remember } from '../../../web/src/frame/palette/rank.ts'
import { highlightPieces, piecesAt } from '../../../web/src/parts/found.ts'
import { NO_CHOICES } from '../../../web/src/store/commands.ts'
import { FIRST_STATE, type State } from '../../../web/src/store/state.ts'
import { mapLocalStore, session } from '../world.ts'

const placesOf = (query: string, text: string): readonly number[] | undefined => match(query, text)?.at

test('letters that stand together are found, at the beginning of a word rather than within one', () => {
  assert.deepEqual(placesOf('con', 'Beacon of a conversation'), [12, 13, 14])
  assert.deepEqual(placesOf('con', 'A beacon'), [5, 6, 7])
  assert.equal(placesOf('xyz', 'A beacon'), undefined)
})

test('first letters of words are enough, but letters out of the middle are not', () => {
  assert.deepEqual(placesOf('nc', 'New conversation'), [0, 4])
  assert.deepEqual(placesOf('necon', 'New conversation'), [0, 1, 4, 5, 6])
  assert.equal(placesOf('oe', 'once'), undefined)
  assert.equal(placesOf('wv', 'New conversation'), undefined)
})

test('every word must be there, in any order; case and accents do not matter', () => {
  assert.deepEqual(placesOf('GARDEN cafe', 'Café garden'), [0, 1, 2, 3, 5, 6, 7, 8, 9, 10])
  assert.equal(placesOf('garden sea', 'Café garden'), undefined)
  assert.deepEqual(placesOf('', 'anything'), [])
})

test('a beginning is better than a word, a word better than its middle, and of two alike the shorter', () => {
  const texts = ['Old notes on a planet', 'Airplane', 'Plan', 'Plan of the garden', 'A plan']
  const order = texts.toSorted((a, b) => (match('plan', b)?.score ?? 0) - (match('plan', a)?.score ?? 0))
  assert.deepEqual(order, ['Plan', 'Plan of the garden', 'A plan', 'Old notes on a planet', 'Airplane'])
})

test('found words are marked as the gateway finds them: whole, the last perhaps only begun', () => {
  const marked = (text: string, query: string): string =>
    highlightPieces(text, query)
      .map(({ text, hit }) => (hit ? `[${text}]` : text))
      .join('')
  assert.equal(marked('The pelican and the pelicans', 'pelican'), 'The [pelican] and the [pelicans]')
  assert.equal(marked('he said the Café is here', 'he cafe'), '[he] said the [Café] is here')
  assert.equal(marked('a*b (c)', '*'), 'a*b (c)')
  assert.equal(marked('İstanbul and straße', 'strasse and'), 'İstanbul [and] straße')
  assert.deepEqual(piecesAt('abcde', [0, 1, 3]), [
    { text: 'ab', hit: true },
    { text: 'c', hit: false },
    { text: 'd', hit: true },
    { text: 'e', hit: false },
  ])
})

const entry = (key: string, kind: PaletteEntry['kind'], words: string, more: Partial<PaletteEntry> = {}): PaletteEntry => ({
  key,
  kind,
  words,
  run: () => {},
  ...more,
})

test('before anything is typed the newest conversations stand first, then what was used last', () => {
  const chats = Array.from({ length: 9 }, (_, index) => entry(`chat ${index}`, 'Conversation', `Chat ${index}`))
  const others = [
    entry('new', 'Action', 'New'),
    entry('theme', 'Action', 'Theme'),
    entry('ada', 'Action', 'With Ada', { rare: true }),
  ]
  const keys = (recent: readonly string[]): string[] => rank([...chats, ...others], '', recent).map(({ key }) => key)
  assert.deepEqual(keys([]), [...chats.slice(0, 6).map(({ key }) => key), 'new', 'theme'])
  assert.deepEqual(keys(['ada', 'theme']).slice(6), ['ada', 'theme', 'new'])
})

test('typing ranks everything together, also what is rare; what was used lately wins where all else is equal', () => {
  const entries = [
    entry('a', 'Conversation', 'Ada on bees'),
    entry('b', 'Action', 'Talk to Ada', { rare: true }),
    entry('c', 'Page', 'Agents'),
  ]
  assert.deepEqual(
    rank(entries, 'ada', []).map(({ key }) => key),
    ['a', 'b'],
  )
  const twins = [entry('x', 'Action', 'Same words'), entry('y', 'Action', 'Same words')]
  assert.deepEqual(
    rank(twins, 'same', ['y']).map(({ key }) => key),
    ['y', 'x'],
  )
})

test('the palette remembers the last eight choices, each once', () => {
  const localStore = mapLocalStore()
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'b']) remember(localStore, key)
  assert.deepEqual(recentOf(localStore), ['b', 'i', 'h', 'g', 'f', 'e', 'd', 'c'])
})

test('the palette has the commands of the message box that mean something now, one for each choice', () => {
  const given: string[] = []
  const choices = { ...NO_CHOICES, agent: [{ value: 'ada', words: 'Ada' }], mode: [{ value: 'memo', words: 'Memo' }] }
  const entries = (state: State): readonly PaletteEntry[] =>
    commandEntries(state, choices, ({ name }, argument) => given.push(`${name} ${argument}`))
  assert.deepEqual(
    entries(FIRST_STATE).map(({ key }) => key),
    ['/agent ada'],
  )
  const inCouncil = { ...FIRST_STATE, session: 'ses_1', about: session('ses_1', { council: 'board' }) }
  const there = entries(inCouncil)
  assert.deepEqual(
    there.map(({ key }) => key),
    ['/resume', '/agent ada', '/compact', '/synthesis memo', '/exchange'],
  )
  for (const { run } of there) run()
  assert.deepEqual(given, ['resume ', 'agent ada', 'compact ', 'synthesis memo', 'exchange '])
})
