// What a request costs before it is sent, policy by policy: reading the log, then assembling what was read; beside it, what
// two libraries take to choose from the same messages.
import { createEngine, type Engine, presets, sqliteLog, weigh } from '../src/index.ts'
import type { SqliteSettings } from '../src/log/sqlite/sqlite-log.ts'
import type { Receipt } from '../src/model/receipt.ts'
import type { Policy } from '../src/model/settings/policy.ts'
import { houseParts } from '../src/turn/equipment/workspace-text.ts'
import { fixture, MODEL, type Sized } from './fixture.ts'
import { type Case, markdown, measure, type Row, ratioOf, report, scaleOf, sure } from './measure.ts'
import { PEERS, peersBeside } from './peer-case.ts'

const SKILLS = 20
const TEXT = 'And what about the boats?'

/**
 * A policy as it meets a session. A window that grows meets it in two ways: `next`, where the receipt of its last request says
 * where it begins, and `first`, where there is no such receipt, as under any policy the session has never been looked at with.
 */
type Meeting = {
  readonly name: string
  readonly policy: Policy
  readonly case: 'first' | 'next' | 'any'
  /** All of it is read from the file, as by a process that has just been started. */
  readonly isUnread?: boolean
}

/** A session, the file it is in, and two engines that have it open: one that holds what it has read, one that never does. */
type Opened = Sized & { readonly file: string; readonly engine: Engine; readonly forgetful: Engine }

const given = scaleOf(process.argv)
const scale = { ...given, small: 100, large: given.quick ? 10_000 : given.large }
const meetings = Object.values(presets).flatMap(meetingsOf)
const short = await open(100, 10_000)
const long = given.quick ? [] : await open(given.small, given.large)
const sizes = [...short, ...long.slice(1)]

await report('context', scale, async () => {
  await using peers = await peersBeside(sizes, TEXT, scale.goes)
  const ours = meetings.flatMap(meeting => sizes.map(size => contexts(size, meeting)))
  const rows = await measure([...ours, ...peers.cases], scale)
  console.log(`read and assembly, a longer session ÷ a shorter one, p50 / p99\n\n${byLength(rows).join('\n')}\n`)
  console.log(`a peer ÷ our read and assembly at the same length, p50 / p99\n\n${byPeer(rows).join('\n')}\n`)
  return rows
})
for (const engine of new Set([...short, ...long].flatMap(each => [each.engine, each.forgetful]))) await engine.close()

function meetingsOf(policy: Policy): readonly Meeting[] {
  const { name, window } = policy
  if (window.kind !== 'tokens') return [{ name, policy, case: 'any' }]
  return [
    // The same in all but its name, by which receipts are looked for.
    { name: `${name} first`, policy: { ...policy, name: `${name}-first` }, case: 'first' },
    { name: `${name} next`, policy, case: 'next' },
    { name: `${name} next, unread`, policy, case: 'next', isUnread: true },
  ]
}

async function open(small: number, large: number): Promise<readonly Opened[]> {
  const database = fixture(small, large)
  const { file } = database
  const skills = Array.from(
    { length: SKILLS },
    (_, index) =>
      `- skill-${index}: Reads a page of the handbook and says what to do. Use it when somebody asks about part ${index}.`,
  )
  const engineWith = async (settings: Partial<SqliteSettings>): Promise<Engine> =>
    createEngine({
      log: sure(await sqliteLog({ file, clock: Date.now, weigh, readOnly: true, ...settings })),
      model: MODEL.name,
      policies: [...new Set(meetings.map(({ policy }) => policy))],
      house: {
        parts: async agent => houseParts({ ...agent, prompt: 'You are brief and kind.' }, { agentsMd: skills.join('\n') }),
      },
      // On a machine that is busy with other things, too, everything is read.
      limits: { historyMs: 10_000 },
    })
  const [engine, forgetful] = [await engineWith({}), await engineWith({ recentBytes: 0 })]
  return [database.small, database.large].map(sized => ({ ...sized, file, engine, forgetful }))
}

function contexts({ session, messages, ...opened }: Opened, meeting: Meeting): Case {
  const { name, policy, isUnread = false } = meeting
  const engine = isUnread ? opened.forgetful : opened.engine
  const readsMuch = meeting.case === 'first' || policy.window.kind === 'all'
  return {
    messages,
    counts: `${name}: both`,
    ...(readsMuch ? { goes: Math.ceil(scale.goes / 4) } : {}),
    once: async () => {
      const { receipt } = sure(await engine.wouldSend(session, { text: TEXT, policy: policy.name }))
      const why = whyWorthless(receipt, meeting)
      if (why !== undefined) throw new Error(`${name} at ${messages} messages: ${why}`)
      const { readMs, assembleMs } = receipt.timings
      return { [`${name}: read`]: readMs, [`${name}: assembly`]: assembleMs, [`${name}: both`]: readMs + assembleMs }
    },
  }
}

/** A context that was not read in time is quick, and one of another case says nothing of this one. */
function whyWorthless({ degraded, inputs, window }: Receipt, meeting: Meeting): string | undefined {
  if (degraded !== null) return degraded.reason
  if (meeting.case === 'first' && inputs.begins !== null) return 'a receipt said where the window begins'
  if (meeting.case === 'next' && inputs.begins === null) return 'no receipt said where the window begins'
  if (meeting.case === 'next' && inputs.begins !== window.begins) return 'the window was cut'
  return undefined
}

function byLength(rows: readonly Row[]): readonly string[] {
  const pairs = sizes.flatMap((shorter, index) =>
    sizes.slice(index + 1).map(longer => [longer.messages, shorter.messages] as const),
  )
  const cells = meetings.map(({ name }) => [
    name,
    ...pairs.map(([longer, shorter]) => shown(found(rows, `${name}: both`, longer), found(rows, `${name}: both`, shorter))),
  ])
  return markdown(['', ...pairs.map(pair => pair.map(many => many.toLocaleString('en')).join(' ÷ '))], cells)
}

function byPeer(rows: readonly Row[]): readonly string[] {
  const cells = PEERS.flatMap(peer =>
    ['recent', 'steady next'].map(ours => [
      `${peer} ÷ ${ours}`,
      ...sizes.map(({ messages }) => shown(found(rows, peer, messages), found(rows, `${ours}: both`, messages))),
    ]),
  )
  return markdown(['', ...sizes.map(({ messages }) => messages.toLocaleString('en'))], cells)
}

function found(rows: readonly Row[], what: string, messages: number): Row | undefined {
  return rows.find(row => row.what === what && row.messages === messages)
}

function shown(over: Row | undefined, under: Row | undefined): string {
  if (over === undefined || under === undefined) return '–'
  const { p50, p99 } = ratioOf(over, under)
  return `${p50.toFixed(2)} / ${p99.toFixed(2)}`
}
