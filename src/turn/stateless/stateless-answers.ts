/** Answers conversations that the caller keeps, in a log in memory that is dropped afterward. */
import { weigh } from '../../context/text/tokens.ts'
import { createFeed } from '../../log/feed.ts'
import { follow, type Signal } from '../../log/follow.ts'
import { memoryLog } from '../../log/memory/memory-log.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { choiceOf, speakerOf } from '../admission/speaker.ts'
import { type Conductor, createConductor } from '../conductor.ts'
import { createQuotes } from '../cost/cost-quote.ts'
import { createInspector } from '../inspect/as-sent.ts'
import { SOLE_OWNER } from '../nodes/ownership.ts'
import { type Thread, threadOf } from '../schedule/message-thread.ts'
import { createSessions, type Usual } from '../schedule/sessions.ts'
import type { Services } from '../services.ts'
import { createRequestFiles } from '../step/request-files.ts'
import { type Answerer, answererOf, type StatelessRequest } from './answer-once.ts'
import { type ConversationFacts, messagesToFacts } from './messages-to-facts.ts'
import { receiptsOnlyLog } from './receipts-only-log.ts'

/** The answer as it is being given: the same signals as in a session. */
export type StatelessAnswer = { readonly signals: AsyncIterable<Signal>; readonly thread: Thread }

/** Answers conversations that the caller keeps: in a log in memory, of which only the receipts are kept. */
export type StatelessAnswers = {
  /** Begins to answer. Hanging up stops the answer and its requests to providers. */
  readonly talk: (talk: StatelessRequest, hangUp: AbortSignal) => Promise<Result<StatelessAnswer, Fault>>
  readonly stop: (graceMs: number) => Promise<void>
}

const STOPPING: Fault = fault('overloaded', 'the gateway is stopping; ask again in a moment')

export function createStatelessAnswers(services: Services, usual: Usual): StatelessAnswers {
  const running = new Set<{ readonly conductor: Conductor; readonly ended: AbortController }>()
  let stopping = false

  const talk: StatelessAnswers['talk'] = async (wish, hangUp) => {
    if (stopping) return err(STOPPING)
    const answerer = answererOf(services, wish)
    if (!answerer.ok) return answerer
    const aside = asideOf(services, answerer.value)
    // After the caller has hung up, nothing follows a round.
    const conductor = createConductor(aside, createQuotes(aside, createInspector(aside)), hangUp)
    const opened = await createSessions(aside, conductor, usual).open(answerer.value.session)
    if (!opened.ok) return opened
    const session = opened.value
    const unable = whyUnable(aside, session, wish)
    if (unable !== undefined) return err(unable)
    const conversation = messagesToFacts(wish.messages, session.agent ?? '', () => services.mint('trn'))
    if (!conversation.ok) return conversation
    const { facts, texts } = conversation.value
    const appended = facts.length === 0 ? undefined : await aside.log.append(session.id, facts, { texts })
    if (appended?.ok === false) return appended
    const played = { conductor, ended: new AbortController() }
    running.add(played)
    const begun = await begin(conductor, session, conversation.value)
    if (!begun.ok) {
      running.delete(played)
      return begun
    }
    const stop = (): void => {
      stopAll(conductor, session)
        .catch((cause: unknown) => services.observe({ type: 'bug', cause }))
        .finally(() => running.delete(played))
    }
    hangUp.addEventListener('abort', stop, { once: true })
    if (hangUp.aborted) stop()
    const { thread, after } = begun.value
    const listening = AbortSignal.any([hangUp, played.ended.signal])
    const signals = untilOver(follow(aside.log, aside.feed, session.id, after, listening), () => running.delete(played))
    return ok({ signals, thread })
  }

  return {
    talk,
    stop: async graceMs => {
      stopping = true
      const stopped = [...running].map(({ conductor, ended }) => conductor.stop(graceMs).then(() => ended.abort()))
      await Promise.all(stopped)
    },
  }
}

/** The engine's own services, but with a log in memory that is dropped afterwards. */
function asideOf(services: Services, { house, equipment, agents, policies, limits, resume }: Answerer): Services {
  const log = receiptsOnlyLog(memoryLog({ clock: services.clock, weigh }), services.log, cause =>
    services.observe({ type: 'bug', cause }),
  )
  return {
    ...services,
    log,
    feed: createFeed(),
    owners: SOLE_OWNER,
    nodes: undefined,
    // The conversation is gone with its answer: an index of it would never be asked again.
    recall: undefined,
    files: createRequestFiles(log),
    house,
    equipment,
    agents,
    policies,
    limits,
    resume,
  }
}

/** Refuses the caller's tools if the model or the council cannot use them, so that they are not dropped silently. */
function whyUnable(aside: Services, session: Session, { tools = [], messages }: StatelessRequest): Fault | undefined {
  if (session.council !== null) {
    if (tools.length > 0) return fault('invalid', 'tools: the advisors of a council cannot use tools of the caller')
    return messages.at(-1)?.role === 'user' ? undefined : fault('invalid', 'messages: a council answers a message of the user')
  }
  const speaker = speakerOf(aside, session, '')
  const choice = speaker.ok ? choiceOf(aside, session, speaker.value) : speaker
  if (!speaker.ok || !choice.ok) return choice.ok ? undefined : choice.fault
  const { model } = choice.value
  if (tools.length === 0 || speaker.value.protocol === 'text' || model.facts.tools) return undefined
  return fault('invalid', `tools: ${model.name} cannot be given tools`)
}

type Begun = { readonly thread: Thread; readonly after: number }

async function begin(conductor: Conductor, session: Session, { next, facts }: ConversationFacts): Promise<Result<Begun, Fault>> {
  if (next.is === 'message') {
    const { text, parts } = next
    const inbound = { session: session.id, text, parts, from: 'person' }
    const said = await conductor.say(inbound)
    return said.ok ? ok({ thread: threadOf(said.value.seq, said.value.head), after: said.value.seq - 1 }) : said
  }
  const { cause, resumes } = next
  const request = { voice: session.agent ?? '', cause, ...(resumes === undefined ? {} : { resumes }) }
  const started = await conductor.start(session, request)
  return started.ok ? ok({ thread: threadOf(cause), after: facts.length }) : started
}

/** Until nothing is left to stop: what comes after a round may have been about to begin. */
async function stopAll(conductor: Conductor, { id }: Session): Promise<void> {
  for (let stopped = await conductor.cancel(id); stopped.ok && stopped.value.length > 0; ) stopped = await conductor.cancel(id)
}

async function* untilOver(signals: AsyncIterable<Signal>, over: () => void): AsyncGenerator<Signal> {
  try {
    yield* signals
  } finally {
    over()
  }
}
