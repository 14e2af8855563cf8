// Coding sessions made up from a seed: files are read, changed and tested, and names that were seen are used again later.
import {
  type Chance,
  type Conversation,
  conversationOf,
  type House,
  lengthAbout,
  prose,
  randomOf,
  recalled,
  type Step,
  type Turn,
  type Used,
  VOICE,
} from '../conversations.ts'

/** Results of reads and test runs have about this many tokens, at least and at most. */
const LEAST_RESULT = 200
const MOST_RESULT = 20_000
/** A line of the code below, on average. */
const TOKENS_PER_LINE = 15

type File = { readonly path: string; readonly symbols: readonly string[] }
/** What a session has seen so far, oldest first: paths, symbols, tests, codes of errors. */
type Seen = { readonly files: readonly File[]; readonly paths: string[]; readonly names: string[] }

/** A session of so many steps in one to four turns; the same seed gives the same words. */
export function codingTrace(seed: number, steps: number): Conversation {
  const chance = randomOf(seed * 7919 + steps)
  const seen: Seen = { files: Array.from({ length: 60 }, (_, index) => fileOf(index, chance)), paths: [], names: [] }
  const turns: Turn[] = []
  let left = steps
  while (left > 0) {
    const own = turns.length === 3 ? left : Math.min(left, Math.max(5, Math.ceil(steps * (0.2 + 0.7 * chance()))))
    const heard = turns.length === 0 ? task(seen, chance) : followUp(seen, chance)
    const work = Array.from({ length: own - 1 }, () => workStep(seen, chance))
    turns.push({ heard, voice: VOICE, steps: [...work, { text: closing(seen, chance), calls: [] }] })
    left -= own
  }
  return conversationOf(`coding, ${steps} steps, seed ${seed}`, HOUSE, turns)
}

function fileOf(index: number, chance: Chance): File {
  const area = pick(AREAS, chance)
  const symbols = Array.from({ length: 6 + Math.floor(chance() * 20) }, () => symbolOf(chance))
  return { path: `src/${area}/${pick(NOUNS, chance).toLowerCase()}-${index + 1}.ts`, symbols }
}

const symbolOf = (chance: Chance): string => `${pick(VERBS, chance)}${pick(NOUNS, chance)}${Math.floor(chance() * 90) + 10}`

function task(seen: Seen, chance: Chance): string {
  const { path, symbols } = pick(seen.files, chance)
  const code = errorCode(chance)
  learn(seen, [path], [symbols[0] ?? path, code])
  return `Since last week ${symbols[0]} in ${path} fails with ${code}. ${prose(lengthAbout(60, chance), chance)} Find out why, fix it, and add a test.`
}

function followUp(seen: Seen, chance: Chance): string {
  return `Good. ${prose(lengthAbout(25, chance), chance)} Look at ${recalled(seen.paths, chance)} and ${recalled(seen.names, chance)} once more.`
}

function closing(seen: Seen, chance: Chance): string {
  return `${prose(lengthAbout(70, chance), chance)} Changed ${recalled(seen.paths, chance)}; ${recalled(seen.names, chance)} is covered now.`
}

function workStep(seen: Seen, chance: Chance): Step {
  const text = chance() < 0.4 ? `${prose(lengthAbout(12, chance), chance)} Next: ${recalled(seen.names, chance)}.` : ''
  const kind = chance()
  if (kind < 0.45) {
    // One file is the rule; now and then several at once.
    const many = chance() < 0.25 ? 2 + Math.floor(chance() * 4) : 1
    return { text, calls: Array.from({ length: many }, () => reading(seen, chance)) }
  }
  if (kind < 0.6) return { text, calls: [searching(seen, chance)] }
  if (kind < 0.82) {
    const many = chance() < 0.2 ? 2 : 1
    return { text, calls: Array.from({ length: many }, () => editing(seen, chance)) }
  }
  return { text, calls: [testing(seen, chance)] }
}

function reading(seen: Seen, chance: Chance): Used {
  const known = recalled(seen.paths, chance)
  const file = (chance() < 0.5 ? seen.files.find(({ path }) => path === known) : undefined) ?? pick(seen.files, chance)
  const from = 1 + Math.floor(chance() * 400)
  const lines = code(file, tokensOf(chance), chance).map((line, index) => `${from + index}  ${line}`)
  learn(seen, [file.path], file.symbols.slice(0, 4))
  return { tool: 'read_file', args: { path: file.path, from }, result: lines.join('\n') }
}

function searching(seen: Seen, chance: Chance): Used {
  const what = recalled(seen.names, chance)
  const hits = Array.from({ length: Math.ceil(Math.min(4000, tokensOf(chance)) / 30) }, () => {
    const file = pick(seen.files, chance)
    if (chance() < 0.1) learn(seen, [file.path], [])
    return `${file.path}:${1 + Math.floor(chance() * 900)}: ${codeLine(file, chance)}`
  })
  return { tool: 'search', args: { text: what }, result: hits.join('\n') }
}

function editing(seen: Seen, chance: Chance): Used {
  const path = recalled(seen.paths, chance)
  const file = seen.files.find(each => each.path === path) ?? pick(seen.files, chance)
  const find = code(file, 20 + chance() * 80, chance).join('\n')
  const replace = [...code(file, lengthAbout(70, chance), chance), `  ${recalled(seen.names, chance)}()`].join('\n')
  const from = 1 + Math.floor(chance() * 400)
  return {
    tool: 'edit_file',
    args: { path: file.path, find, replace },
    result: `Changed ${file.path}, lines ${from} to ${from + 9}.`,
  }
}

function testing(seen: Seen, chance: Chance): Used {
  const lines = Array.from({ length: Math.ceil(Math.min(8000, tokensOf(chance)) / 28) }, (_, index) => {
    const file = pick(seen.files, chance)
    if (chance() < 0.95) return `ok ${index + 1} - ${pick(file.symbols, chance)} ${prose(5, chance)}`
    const failed = errorCode(chance)
    learn(seen, [file.path], [failed, pick(file.symbols, chance)])
    return `not ok ${index + 1} - ${failed}\n    at ${pick(file.symbols, chance)} (${file.path}:${1 + Math.floor(chance() * 900)}:7)`
  })
  return { tool: 'run_tests', args: { only: recalled(seen.paths, chance) }, result: lines.join('\n') }
}

function code(file: File, tokens: number, chance: Chance): readonly string[] {
  return Array.from({ length: Math.max(1, Math.round(tokens / TOKENS_PER_LINE)) }, () => codeLine(file, chance))
}

function codeLine({ symbols }: File, chance: Chance): string {
  const one = pick(symbols, chance)
  const other = pick(symbols, chance)
  const kind = chance()
  if (kind < 0.3) return `  const ${pick(NOUNS, chance).toLowerCase()} = await ${one}(${other}, ${Math.floor(chance() * 100)})`
  if (kind < 0.5) return `  if (${one}.length > ${other}) return ${pick(VERBS, chance)}(${one})`
  if (kind < 0.7) return `  // ${prose(7, chance)}`
  if (kind < 0.85) return `export function ${one}(${pick(NOUNS, chance).toLowerCase()}: ${pick(NOUNS, chance)}): void {`
  return kind < 0.95 ? '}' : ''
}

/** As many small results as ten times as large ones. */
const tokensOf = (chance: Chance): number => LEAST_RESULT * (MOST_RESULT / LEAST_RESULT) ** chance()

const errorCode = (chance: Chance): string => `E_${pick(NOUNS, chance).toUpperCase()}_${Math.floor(chance() * 9000) + 1000}`

function learn(seen: Seen, paths: readonly string[], names: readonly string[]): void {
  seen.paths.push(...paths)
  seen.names.push(...names)
}

function pick<Item>(items: readonly Item[], chance: Chance): Item {
  const item = items[Math.floor(chance() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

const AREAS = ['billing', 'cache', 'console', 'forms', 'harbour', 'ledger', 'mail', 'queue', 'search', 'store']
const VERBS = [
  'add',
  'check',
  'close',
  'find',
  'format',
  'load',
  'merge',
  'move',
  'open',
  'parse',
  'read',
  'send',
  'sort',
  'write',
]
const NOUNS = `Account Batch Booking Cabin Crew Cursor Date Deck Entry Ferry Filter Index Invoice Item Letter Level Limit Manifest
Order Page Parcel Passenger Port Price Queue Receipt Refund Route Schedule Seat Session Ticket Timer Token Voyage Window`.split(
  /\s+/,
)

const parameter = (description: string): object => ({ type: 'string', description })

const HOUSE: House = {
  system: `You are a careful programmer who works in a repository. ${prose(380, randomOf(11))}`,
  tools: [
    {
      name: 'edit_file',
      description: 'Replaces one piece of a file with another.',
      parameters: {
        type: 'object',
        properties: { path: parameter('Which file'), find: parameter('What to replace'), replace: parameter('By what') },
        required: ['path', 'find', 'replace'],
      },
    },
    {
      name: 'read_file',
      description: 'Reads a file from a line on.',
      parameters: {
        type: 'object',
        properties: { path: parameter('Which file'), from: { type: 'integer' } },
        required: ['path'],
      },
    },
    {
      name: 'run_tests',
      description: 'Runs the tests of a file.',
      parameters: { type: 'object', properties: { only: parameter('Which file') } },
    },
    {
      name: 'search',
      description: 'Finds a text in all files.',
      parameters: { type: 'object', properties: { text: parameter('What to find') }, required: ['text'] },
    },
  ],
}
