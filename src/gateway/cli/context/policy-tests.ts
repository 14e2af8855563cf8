// Runs a file of policy tests over one's own sessions.
import { readFile } from 'node:fs/promises'
import { lint } from '../../../context/receipt/cache-lint.ts'
import type { Engine, SentContext, WouldSend } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Policy } from '../../../model/settings/policy.ts'
import { fixedSettings } from '../../settings/live-settings.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { type PolicyTests, parsePolicyTests } from '../../workspace/policy-tests-file.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { complain, MISUSED, print, type Terminal } from '../output/terminal.ts'
import { readingIn } from '../sessions/reading.ts'
import { type Replay, replayUnder } from '../sessions/replay.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import { heardIn, remarksAbout, textsIn, unmet, type VoiceReply } from './expectations.ts'
import { type CaseTurn, caseTurns } from './policy-test-places.ts'
import { type CaseResult, caseName, type PolicyResult, policyTestsPage } from './policy-tests-page.ts'
import { turnsOfVoice } from './turns.ts'

/** Runs the cases of a file under each of its policies, over the person's own sessions. It asks no model and stores nothing. */
export async function policyTestsCommand(
  terminal: Terminal,
  path: string,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const { policies } = statelessEngine(workspace.value, terminal.environment)
  const content = await contentOf(path)
  const tests = content.ok ? parsePolicyTests(content.value, policies) : content
  if (!tests.ok) return complainOf(terminal, path, tests.fault)
  const { live } = workspace.value
  const settings = live.now()
  const equipped = {
    ...workspace.value,
    live: fixedSettings({ ...settings, policies: [...settings.policies, ...tests.value.own] }),
  }
  return readingIn(terminal, equipped, async engine => {
    const places = await caseTurns(engine, tests.value.cases)
    if (!places.ok) return complainOf(terminal, path, places.fault)
    for (const { test, session } of places.value) if (test.recalls !== undefined) await engine.index(session)
    const results = await resultsOf(engine, places.value, [...policies, ...tests.value.own], tests.value)
    const failed = results.filter(({ results: under }) => under.some(({ reasons }) => reasons.length > 0)).length
    if (json === true)
      print(
        terminal,
        jsonForTerminal({ policies: tests.value.policies, cases: results, passed: results.length - failed, failed }),
      )
    else print(terminal, ...policyTestsPage(results, columnsOf(terminal), inkFor(terminal.stdout, terminal.environment)))
    return failed === 0 ? 0 : 1
  })
}

const WIDEST = 80

const columnsOf = ({ stdout }: Terminal): number => (stdout.isTTY === true ? Math.min(WIDEST, stdout.columns ?? WIDEST) : WIDEST)

async function contentOf(path: string): Promise<Result<string, Fault>> {
  try {
    return ok(await readFile(path, 'utf8'))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', code === 'ENOENT' ? 'there is no such file; write one as in docs/policy.md' : message))
  }
}

/** Prints one line for each thing that is wrong. */
function complainOf(terminal: Terminal, path: string, { message }: Fault): number {
  for (const line of message.split('\n')) complain(terminal, `${path}: ${line}`)
  return MISUSED
}

async function resultsOf(
  engine: Engine,
  places: readonly CaseTurn[],
  known: readonly Policy[],
  { policies }: PolicyTests,
): Promise<readonly CaseResult[]> {
  const replays = new Map<string, Replay>()
  const replayOf = ({ session, turns, turn }: CaseTurn, policy: Policy): Replay => {
    const key = `${session} ${turn.voice} ${policy.name}`
    const replay = replays.get(key) ?? replayUnder(engine, session, turns, policy)
    replays.set(key, replay)
    return replay
  }
  const results: CaseResult[] = []
  for (const place of places) {
    const under: PolicyResult[] = []
    for (const policy of policies.flatMap(name => known.find(each => each.name === name) ?? []))
      under.push(await resultOf(engine, place, policy.name, replayOf(place, policy)))
    const { test, session, turn } = place
    results.push({ name: test.name ?? caseName(test, turn), session, voice: turn.voice, turn: turn.number, results: under })
  }
  return results
}

async function resultOf(engine: Engine, place: CaseTurn, policy: string, replay: Replay): Promise<PolicyResult> {
  const { test, turn } = place
  const { recalls } = test
  const index = turn.number - 1
  // A question comes after the turn, so the turn's own request is the one before it.
  const previous = recalls === undefined ? index - 1 : index
  const before = test.cachedAtLeast === undefined || previous < 0 ? undefined : await replay.turn(previous)
  const planned: Result<SentContext & Pick<WouldSend, 'evidence'>, Fault> =
    recalls === undefined ? await replay.turn(index) : await replay.question(index, recalls.question, recalls.evidence)
  if (!planned.ok) return { policy, tokens: null, cached: null, reasons: [planned.fault.message], remarks: [] }
  const { evidence } = planned.value
  const cache = before?.ok === true ? lint(before.value.outline, planned.value.outline) : null
  const looked = {
    texts: textsIn(planned.value.request?.body),
    tokens: planned.value.receipt.tokens.estimated,
    cache,
    heard: await heardOf(engine, place, planned.value),
    ...(evidence === undefined ? {} : { evidence }),
  }
  const reasons = unmet(test, looked)
  return { policy, tokens: looked.tokens, cached: cache?.stableShare ?? null, reasons, remarks: remarksAbout(evidence) }
}

/** The replies in the request of voices that it should not see, under the names that the case uses. */
async function heardOf(
  engine: Engine,
  { test, session, all, turn }: CaseTurn,
  context: SentContext,
): Promise<readonly VoiceReply[]> {
  if (test.doesNotSee.length === 0) return []
  const first = context.receipt.in.reduce((least, { from }) => Math.min(least, from ?? least), turn.cause)
  const events = await engine.read(session, { after: first - 1, through: turn.cause - 1 })
  if (!events.ok) return []
  return test.doesNotSee.flatMap(voice => {
    const own = turnsOfVoice(all, voice)
    const turns = new Set(own.ok ? own.value.map(({ id }) => id) : [])
    const replies = events.value.flatMap(event =>
      (event.type === 'reply.finished' || event.type === 'reply.broken') && turns.has(event.turn)
        ? [{ voice, seq: event.seq, text: event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n') }]
        : [],
    )
    return heardIn(context, replies)
  })
}
