// What each window costs where providers cache prompts, what it still shows, and whether a provider would accept it.
import { assemble } from '../src/context/assemble.ts'
import { presets } from '../src/context/presets.ts'
import { canonical } from '../src/context/text/canonical.ts'
import type { Measure } from '../src/context/text/tokens.ts'
import { count as countTokens } from '../src/context/text/tokens.ts'
import type { Event } from '../src/model/event.ts'
import type { Plan } from '../src/model/plan.ts'
import type { WindowState } from '../src/model/receipt.ts'
import type { Policy } from '../src/model/settings/policy.ts'
import type { VoiceId } from '../src/model/voice.ts'
import { anthropicWire } from '../src/provider/anthropic/encode.ts'
import { openaiChatWire } from '../src/provider/openai-chat/encode.ts'
import { anthropicRefuses, openaiChatRefuses } from '../test/support/validate-wire.ts'
import { type Bill, type Block, billsOf, blocksOf, keptShare, markedInHouse, tokensOf, unitsOf } from './billing.ts'
import {
  type Asked,
  askedOf,
  type Conversation,
  generated,
  lengthOf,
  materialOf,
  messagesIn,
  recordings,
  type Shape,
  type Spoken,
  spokenOf,
  TALK,
  WORK,
} from './conversations.ts'
import { markdown } from './measure.ts'
import { messageOf, type PeerWindow, peersOf } from './peers.ts'
import { type FoldRequest, type MemoryPart, remembering, withPart } from './remembering.ts'

const quick = process.argv.includes('--quick')
const wantsAlternatives = process.argv.includes('--alternatives')
const given = process.argv.slice(2).find(each => !each.startsWith('--'))

const BUDGET = quick ? 2000 : 8000
const FULL = 'full history with caching'
/** Reservations, flights, people, cards, items: words with a digit, or six capitals. */
const IDENTIFIER = /^(?=\w*\d)(?=\w*[A-Za-z])\w{5,}$|^[A-Z]{6}$/

/** A way to choose what is sent: a policy of ours, or somebody's rule. */
type Window = OurWindow | PeerWindow
type OurWindow = { readonly name: string; readonly policy: Policy | ((house: number) => Policy) }
type Dataset = {
  readonly name: string
  readonly conversations: readonly Conversation[]
  readonly windows: readonly Window[]
  /** The window that everything else is compared with. */
  readonly whole: Window
  /** Whether every request is shown to the validators too. */
  readonly isChecked: boolean
}

/** One request: what would be sent, and what came of it; nothing is sent where nothing fits. */
type Sent = {
  readonly asked: Asked
  readonly plan: Plan
  /** The requests for summaries that came before it. */
  readonly folded?: readonly FoldRequest[]
}
type Sums = {
  requests: number
  tooLong: number
  bill: Bill
  units: number
  houseUnits: number
  kept: number[]
  keptOfMessages: number[]
  used: number
  visible: number
}

type Row = {
  readonly dataset: string
  readonly window: string
  /** Billed units ÷ those of the whole history with caching: of all, and of the cheapest and the dearest conversation. */
  readonly ofFull: number
  readonly least: number
  readonly most: number
  /** The same with breakpoints behind tools and system text only. */
  readonly ofFullHouseMarks: number
  readonly units: number
  readonly inputTokens: number
  readonly cachedShare: number
  readonly prefixKept: number
  readonly messagesKept: number
  readonly identifiersVisible: number | null
  readonly requests: number
  readonly tooLong: number
}

const counts = new Map<string, number>()
const count = (text: string): number => {
  const tokens = counts.get(text) ?? countTokens(text)
  counts.set(text, tokens)
  return tokens
}
/** Nothing here looks at hashes. */
const measure: Measure = { count, hash: () => '' }

const budgeted = (policy: Policy): Policy => ({ ...policy, budget: { ...policy.budget, tokens: BUDGET } })
const remembered = (name: 'steady' | 'full', part: MemoryPart): Window => ({
  name: `${name} with ${part === 'all' ? 'memory' : 'recall'}`,
  policy: budgeted(withPart(presets[name], part)),
})
/** `steady` with other bounds: shares of the budget, or of what the house text leaves of it. */
const grows = (low: number, high: number, of: 'budget' | 'room'): Window => ({
  name: `steady, ${low} – ${high} of the ${of}`,
  policy: house => {
    const [from, room] = of === 'budget' ? [0, BUDGET] : [house, BUDGET - house]
    const bounds = { low: Math.round(from + low * room), high: Math.round(from + high * room) }
    return { ...budgeted(withPart(presets.steady, 'none')), window: { kind: 'tokens', ...bounds } }
  },
})

const weight = (message: Spoken): number => {
  const calls = message.role === 'assistant' ? message.calls : []
  return count(message.text) + 4 + calls.reduce((sum, { tool, args }) => sum + count(tool) + count(JSON.stringify(args)) + 8, 0)
}
const peers = await peersOf(weight)
const whole: Window = { name: FULL, policy: withPart(presets.full, 'none') }
const alternatives = [
  ...(
    [
      [0.25, 0.5],
      [0.25, 0.75],
      [0.375, 0.75],
    ] as const
  ).map(([low, high]) => grows(low, high, 'budget')),
  ...(
    [
      [0.1, 0.75],
      [0.15, 0.75],
      [0.2, 0.6],
      [0.2, 0.75],
      [0.25, 0.75],
      [0.3, 0.8],
    ] as const
  ).map(([low, high]) => grows(low, high, 'room')),
]
const halving: Window = { ...grows(0.5, 1, 'budget'), name: 'grow to the budget, then halve' }
const windows: readonly Window[] = wantsAlternatives
  ? [{ name: 'steady', policy: budgeted(withPart(presets.steady, 'none')) }, halving, ...alternatives]
  : [
      ...(['steady', 'recent', 'head-tail', 'full', 'transcript'] as const).map(name => ({
        name,
        policy: budgeted(withPart(presets[name], 'none')),
      })),
      ...(['steady', 'full'] as const).map((name): Window => remembered(name, 'recall')),
      remembered('steady', 'all'),
      halving,
      ...peers.windows,
    ]

const rows: Row[] = []
const accepted: Accepted[] = []
const datasets = datasetsOf()
for (const dataset of datasets) rows.push(...(await rowsOf(dataset)))
for (const dataset of datasets.filter(({ isChecked }) => isChecked)) accepted.push(...(await acceptedOf(dataset)))
print()

function datasetsOf(): readonly Dataset[] {
  const dataset = (name: string, conversations: readonly Conversation[], isChecked = false): Dataset => {
    return { name, conversations, windows, whole, isChecked }
  }
  const made = (shape: Shape, tokens: number, seeds: readonly number[]): Dataset =>
    dataset(
      `${shape.name}, ${tokens.toLocaleString('en')} tokens`,
      seeds.map(seed => generated({ shape, seed, until: { tokens } })),
      quick,
    )
  if (quick) return [made(TALK, 5000, [1]), made(WORK, 5000, [1]), council(5000)]
  const seeds = [1, 2, 3, 4, 5]
  const recorded = recordings(given)
  if (recorded === null) console.log('recorded conversations are not measured: name the file on the command line\n')
  const joined = (tokens: number, isChecked: boolean): readonly Dataset[] =>
    recorded === null
      ? []
      : [dataset(`recorded, joined to ${tokens.toLocaleString('en')} tokens`, recorded.joined(tokens), isChecked)]
  return [
    made(TALK, 20_000, seeds),
    made(WORK, 20_000, seeds),
    ...joined(20_000, true),
    made(TALK, 130_000, [1]),
    made(WORK, 130_000, [1, 2]),
    ...joined(130_000, false),
    dataset(
      'talk, 200 messages',
      seeds.map(seed => generated({ shape: TALK, seed, until: { messages: 200 } })),
    ),
    dataset(
      'talk, 20,000 tokens, much house text',
      seeds.map(seed => generated({ shape: TALK, seed, until: { tokens: 20_000 }, moreHouseWords: 3500 })),
    ),
    ...(recorded === null ? [] : [dataset('recorded, as they are', recorded.single, true)]),
    council(20_000),
  ]
}

/** Three voices, each with its own past: no peer has such a thing, so it is compared with itself without a window. */
function council(tokens: number): Dataset {
  const voices: readonly VoiceId[] = ['critic', 'friend', 'engineer']
  const until = { tokens }
  return {
    name: `council of three, ${tokens.toLocaleString('en')} tokens`,
    conversations: [1, 2].map(seed => generated({ shape: { ...TALK, toolShare: 0 }, seed, until, voices })),
    windows: wantsAlternatives ? [] : [{ name: 'council', policy: budgeted(withPart(presets.council, 'none')) }],
    whole: { name: FULL, policy: { ...withPart(presets.council, 'none'), window: { kind: 'all' } } },
    isChecked: false,
  }
}

/** Every request of a conversation, each as it would have been built then. */
async function sentBy(window: Window, conversation: Conversation): Promise<{ sent: readonly Sent[]; tooLong: number }> {
  if (!('policy' in window)) return chosen(window, conversation)
  const { policy } = window
  return planned(typeof policy === 'function' ? policy(houseTokens(conversation)) : policy, conversation)
}

function houseTokens({ system, tools }: Conversation): number {
  return count(system) + (tools.length === 0 ? 0 : count(canonical(tools)))
}

async function planned(policy: Policy, conversation: Conversation): Promise<{ sent: readonly Sent[]; tooLong: number }> {
  const last = new Map<VoiceId, WindowState>()
  const memory = remembering(conversation, policy, { measure })
  const asked = askedOf(conversation)
  const sent: Sent[] = []
  for (const each of asked) {
    const plain = materialOf(conversation, each, last.get(each.voice))
    const material = await memory.withMemory(plain)
    const folded = memory.folded()
    const plan = assemble(material, policy, measure)
    if (!plan.ok) continue
    memory.sent(material, plan.value)
    last.set(each.voice, plan.value.receipt.window)
    sent.push({ asked: each, plan: plan.value, folded })
  }
  return { sent, tooLong: asked.length - sent.length }
}

async function chosen({ choose }: PeerWindow, conversation: Conversation): Promise<{ sent: readonly Sent[]; tooLong: number }> {
  const spoken = spokenOf(conversation)
  const house = houseTokens(conversation)
  const asked = askedOf(conversation)
  const first = asked[0]
  if (first === undefined) return { sent: [], tooLong: 0 }
  // Everything but the messages is the same in every request, whoever makes it.
  const template = assemble(materialOf(conversation, first, undefined), withPart(presets.full, 'none'), measure)
  if (!template.ok) throw new Error(template.fault.message)
  const sent: Sent[] = []
  for (const each of asked) {
    const messages = await choose(
      spoken.filter(({ seq }) => seq < each.reply.seq),
      BUDGET - house,
    )
    const newest = messages.findLastIndex(({ role }) => role === 'user')
    const stableMessages = Math.max(0, newest)
    sent.push({ asked: each, plan: { ...template.value, messages: messages.map(messageOf), stableMessages } })
  }
  return { sent, tooLong: 0 }
}

async function rowsOf({ name, conversations, windows, whole }: Dataset): Promise<readonly Row[]> {
  const base = await Promise.all(conversations.map(conversation => sumsOf(whole, conversation)))
  const rows = [rowOf(name, whole, base, base)]
  for (const window of windows) {
    const sums: Sums[] = []
    for (const conversation of conversations) sums.push(await sumsOf(window, conversation))
    rows.push(rowOf(name, window, sums, base))
  }
  return rows
}

async function sumsOf(window: Window, conversation: Conversation): Promise<Sums> {
  const { sent, tooLong } = await sentBy(window, conversation)
  const used = identifiersUsed(conversation)
  const none: Bill = { plain: 0, written: 0, read: 0 }
  const nothing = { bill: none, units: 0, houseUnits: 0, kept: [], keptOfMessages: [], used: 0, visible: 0 }
  const sums: Sums = { ...nothing, requests: sent.length, tooLong }
  const last = new Map<VoiceId, readonly Block[]>()
  const requests = sent.flatMap(({ asked, plan, folded = [] }) => {
    const { body } = anthropicWire.encode(plan)
    const blocks = blocksOf(body, count)
    const before = last.get(asked.voice)
    last.set(asked.voice, blocks)
    if (before !== undefined) {
      sums.kept.push(keptShare(before, blocks))
      sums.keptOfMessages.push(keptShare(before.filter(isMessage), blocks.filter(isMessage)))
    }
    const needed = used.get(asked.reply) ?? []
    sums.used += needed.length
    sums.visible += needed.filter(id => body.includes(id)).length
    return [...folded.flatMap(request => (request.blocks === null ? [] : [request.blocks])), blocks]
  })
  for (const bill of billsOf(requests)) {
    sums.units += unitsOf(bill)
    sums.bill = {
      plain: sums.bill.plain + bill.plain,
      written: sums.bill.written + bill.written,
      read: sums.bill.read + bill.read,
    }
  }
  for (const bill of billsOf(requests.map(markedInHouse))) sums.houseUnits += unitsOf(bill)
  return sums
}

function isMessage({ part }: Block): boolean {
  return part === 'messages'
}

function rowOf(dataset: string, { name }: Window, sums: readonly Sums[], base: readonly Sums[]): Row {
  const total = (pick: (each: Sums) => number, all = sums): number => all.reduce((sum, each) => sum + pick(each), 0)
  const units = total(each => each.units)
  const ratios = sums.map((each, index) => each.units / (base[index]?.units ?? Number.NaN))
  const tokens = total(({ bill }) => tokensOf(bill))
  const used = total(each => each.used)
  return {
    dataset,
    window: name,
    ofFull: units / total(each => each.units, base),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
    ofFullHouseMarks: total(each => each.houseUnits) / total(each => each.units, base),
    units,
    inputTokens: tokens,
    cachedShare: total(({ bill }) => bill.read) / tokens,
    prefixKept: mean(sums.flatMap(({ kept }) => kept)),
    messagesKept: mean(sums.flatMap(({ keptOfMessages }) => keptOfMessages)),
    identifiersVisible: used === 0 ? null : total(each => each.visible) / used,
    requests: total(each => each.requests),
    tooLong: total(each => each.tooLong),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Names of things a call used that had been seen before it: without them in sight it could not have been made. */
function identifiersUsed({ events }: Conversation): ReadonlyMap<Event, readonly string[]> {
  const seen = new Set<string>()
  const used = new Map<Event, readonly string[]>()
  for (const event of events) {
    if (event.type === 'reply.finished') {
      const wanted = event.parts.flatMap(part => (part.type === 'call' ? identifiersIn(part.args) : []))
      used.set(
        event,
        [...new Set(wanted)].filter(id => seen.has(id)),
      )
    }
    for (const [word] of textOf(event).matchAll(/\w+/g)) seen.add(word)
  }
  return used
}

function identifiersIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return IDENTIFIER.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(identifiersIn) : []
}

function textOf(event: Event): string {
  if (event.type === 'message.received') return event.text
  if (event.type === 'tool.settled') return event.outcome
  return event.type === 'reply.finished' ? JSON.stringify(event.parts) : ''
}

type Accepted = {
  readonly dataset: string
  readonly window: string
  readonly requests: number
  /** Not sent at all, since what goes on does not fit: that is said, and is no broken context. */
  readonly tooLong: number
  readonly anthropic: number
  readonly openai: number
  readonly why: string
}

async function acceptedOf({ name, conversations, windows, whole }: Dataset): Promise<readonly Accepted[]> {
  const found: Accepted[] = []
  for (const window of [whole, ...windows]) {
    const whys = new Map<string, number>()
    let requests = 0
    let tooLong = 0
    let anthropic = 0
    let openai = 0
    for (const conversation of conversations) {
      const built = await sentBy(window, conversation)
      tooLong += built.tooLong
      for (const { plan } of built.sent) {
        const no = anthropicRefuses(anthropicWire.encode(plan).body)
        requests += 1
        anthropic += no.length === 0 ? 1 : 0
        openai += openaiChatRefuses()(openaiChatWire.encode({ ...plan, model: 'openai/bench' }).body).length === 0 ? 1 : 0
        const why = no[0]?.replace(/call_\d+/g, '…').replace(/messages\.\d+/, 'messages.…')
        if (why !== undefined) whys.set(why, (whys.get(why) ?? 0) + 1)
      }
    }
    const [why = ''] = [...whys].sort(([, a], [, b]) => b - a)[0] ?? []
    const shares = { anthropic: anthropic / requests, openai: openai / requests }
    found.push({ dataset: name, window: window.name, requests, tooLong, ...shares, why })
  }
  return found
}

function print(): void {
  const options = [...(quick ? ['--quick'] : []), ...(wantsAlternatives ? ['--alternatives'] : [])]
  const command = ['node bench/cache.ts', ...options].join(' ')
  const described = datasets.map(describe)
  const { missing } = peers
  console.log(`cache · ${command} · the same budget of ${BUDGET.toLocaleString('en')} tokens\n`)
  for (const line of missing) console.log(`${line}\n`)
  console.log(`billed units ÷ ${FULL}\n\n${ratios().join('\n')}\n`)
  for (const { name, conversations, tokens, messages, requests } of described) {
    const many = `${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}`
    console.log(`${name} (${many}: ${tokens.toLocaleString('en')} tokens, ${messages} messages, ${requests} requests each)\n`)
    console.log(`${tableOf(rows.filter(({ dataset }) => dataset === name)).join('\n')}\n`)
  }
  for (const name of new Set(accepted.map(({ dataset }) => dataset))) {
    const shown = accepted.filter(({ dataset }) => dataset === name)
    const cells = shown.map(each => [
      each.window,
      percent(each.anthropic),
      percent(each.openai),
      each.requests.toLocaleString('en'),
      each.tooLong === 0 ? '' : `${each.tooLong}`,
      each.why,
    ])
    const table = markdown(['', 'Anthropic', 'OpenAI chat', 'of requests', 'too long', 'most often refused for'], cells)
    console.log(`accepted contexts: ${name}\n\n${table.join('\n')}\n`)
  }
  console.log(JSON.stringify({ bench: 'cache', command, budget: BUDGET, missing, datasets: described, rows, accepted }))
}

/** What one conversation of a dataset is like, in the middle. */
function describe({
  name,
  conversations,
}: Dataset): Record<'tokens' | 'messages' | 'requests' | 'conversations', number> & { name: string } {
  const middle = (of: (conversation: Conversation) => number): number => Math.round(mean(conversations.map(of)))
  const requests = middle(conversation => askedOf(conversation).length)
  return { name, conversations: conversations.length, tokens: middle(lengthOf), messages: middle(messagesIn), requests }
}

function ratios(): readonly string[] {
  const names = datasets.map(({ name }) => name)
  const cells = [...Map.groupBy(rows, ({ window }) => window)].map(([window, own]) => [
    window,
    ...names.map(name => own.find(({ dataset }) => dataset === name)?.ofFull.toFixed(2) ?? ''),
  ])
  return markdown(['', ...names], cells)
}

function tableOf(rows: readonly Row[]): readonly string[] {
  const head = [
    '',
    '÷ full, cached',
    'least – most',
    'cached',
    'prefix kept',
    'of messages',
    'ids visible',
    'billed units',
    'house marks only',
    'too long',
  ]
  return markdown(
    head,
    rows.map(row => [
      row.window,
      row.ofFull.toFixed(2),
      `${row.least.toFixed(2)} – ${row.most.toFixed(2)}`,
      percent(row.cachedShare),
      percent(row.prefixKept),
      percent(row.messagesKept),
      row.identifiersVisible === null ? '–' : percent(row.identifiersVisible),
      Math.round(row.units).toLocaleString('en'),
      row.ofFullHouseMarks.toFixed(2),
      row.tooLong === 0 ? '' : `${row.tooLong} of ${row.requests + row.tooLong}`,
    ]),
  )
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
