// Makes the receipts that docs/policy.md shows: a small budget, long messages, and a turn with many long results.
import { presets } from '../src/context/presets.ts'
import { createEngine, memoryLog, weigh } from '../src/index.ts'
import type { Receipt } from '../src/model/receipt.ts'
import { calls, says, scriptedProvider } from '../src/testing/scripted.ts'
import { toolbox } from '../src/tool/toolbox.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

const pumpLog = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `line ${index + 1}: pump ${index % 7} runs at ${40 + (index % 9)} degrees`).join(
    '\n',
  )

const MESSAGES = [
  'Can you help with the pumps?',
  `This was Monday.\n${pumpLog(60)}`,
  `This was Tuesday.\n${pumpLog(100)}`,
  'Which pump ran hot in the week before?',
]

/** What two receipts say of a full window, and the words about it in their requests: the first and the last of a long turn. */
export async function fullWindow(): Promise<{ readonly first: string; readonly last: string; readonly words: string }> {
  const readLog = {
    spec: { name: 'read_log', description: 'Reads the log of one day', parameters: { type: 'object', properties: {} } },
    run: async () => ({ ok: true, outcome: pumpLog(120) }),
  }
  const days = [1, 2, 3, 4, 5, 6].map(day => calls('read_log', { day }, `c${day}`))
  const provider = scriptedProvider([says('Yes.'), says(pumpLog(40)), says('Pump 3.'), ...days, says('Pump 3 again.')])
  const engine = createEngine({
    log: memoryLog({ clock: () => NOON, weigh }),
    provider,
    toolbox: toolbox([readLog]),
    policies: [{ ...presets.steady, name: 'small', budget: { tokens: 3000, reserve: null } }],
    policy: 'small',
    clock: () => NOON,
  })
  const opened = await engine.open({})
  if (!opened.ok) throw new Error(opened.fault.message)
  const { id } = opened.value
  const waiting = [...MESSAGES]
  const sayNext = async (): Promise<boolean> => {
    const text = waiting.shift()
    if (text !== undefined) await engine.say({ session: id, text, from: 'person' })
    return text !== undefined
  }
  const receipts: Receipt[] = []
  const reader = new AbortController()
  const signals = engine.follow(id, 0, reader.signal)
  await sayNext()
  for await (const signal of signals) {
    if (signal.type !== 'event') continue
    if (signal.event.type === 'context.planned') receipts.push(signal.event.receipt)
    if (signal.event.type === 'turn.ended' && !(await sayNext())) break
  }
  reader.abort()
  await engine.close()
  const [first, last] = [receipts[MESSAGES.length - 1], receipts.at(-1)]
  if (first === undefined || last === undefined) throw new Error('nothing was planned')
  const bodies = [provider.requests[MESSAGES.length - 1], provider.requests.at(-1)].map(request => request?.body ?? '')
  return { first: shown(first), last: shown(last), words: [...new Set(bodies.flatMap(wordsIn))].join('\n') }
}

/** What is about the window, one line for each field and each line of the receipt. */
function shown({ seen, window, ladder, in: lines, out }: Receipt): string {
  const list = (all: readonly object[]): string => `[\n${all.map(each => `    ${spaced(each)}`).join(',\n')}\n  ]`
  const short = lines.map(({ kind, from, to, tokens, reason }) => ({ kind, from, to, tokens, reason }))
  const fields = { seen: spaced(seen), window: spaced(window), ladder: spaced(ladder), in: list(short), out: list(out) }
  return `{\n${Object.entries(fields)
    .map(([name, text]) => `  "${name}": ${text}`)
    .join(',\n')}\n}`
}

/** JSON on one line, with blanks as people write them. */
const spaced = (value: unknown): string =>
  JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')

/** Turnwise's own words about what is missing. */
const wordsIn = (body: string): readonly string[] =>
  [...body.matchAll(/\[\d+ earlier [^\]]*\]|\[… [^\]]*…\]/g)].map(([words]) => words)
