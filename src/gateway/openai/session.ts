/** Says a chat completion in a session, where a request names one. */
import { thinksBy, withoutThinking } from '../../context/reply-limit.ts'
import type { Engine, Signal, StatelessAnswer } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { parseSessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type MessageSettings, wantsThinking } from '../../model/sampling.ts'
import type { Session } from '../../model/session.ts'
import { ASSISTANT } from '../../model/voice.ts'
import { threadOf } from '../../turn/schedule/message-thread.ts'
import type { CompletionRequest } from './request.ts'

/** The session a request names. */
export async function namedSession(engine: Pick<Engine, 'session'>, id: string): Promise<Result<Session, Fault>> {
  const parsed = parseSessionId(id)
  return parsed.ok ? engine.session(parsed.value) : parsed
}

/**
 * Says the last message in a session, and hears what it causes. All that came before is in the session's log, which alone
 * decides what is sent; hanging up stops nothing there.
 */
export async function saidIn(
  engine: Pick<Engine, 'say' | 'follow' | 'modelIn'>,
  session: Session,
  asked: CompletionRequest,
  key: string | undefined,
  listening: AbortSignal,
): Promise<Result<StatelessAnswer, Fault>> {
  const unfit = whyUnfit(session, engine.modelIn(session), asked)
  if (unfit !== undefined) return err(fault('invalid', unfit))
  const message = asked.messages.at(-1)
  const place = `messages.${asked.messages.length - 1}`
  if (message?.role !== 'user') return err(fault('invalid', `${place}.role: what is said in a session is a message of the user`))
  const { text, parts = [] } = message
  if (text.trim() === '' && parts.length === 0) return err(fault('invalid', `${place}.content: must not be empty`))
  const inbound = { session: session.id, text, parts, from: 'person', ...settingsIn(asked) }
  const said = await engine.say(key === undefined ? inbound : { ...inbound, key })
  if (!said.ok) return said
  const { seq, head } = said.value
  return ok({ signals: engine.follow(session.id, seq - 1, listening), thread: threadOf(seq, head) })
}

/** What the message says about its answer. Callers of this API count thinking inside of their limit; ours comes on top. */
function settingsIn({ sampling, maxTokens }: CompletionRequest): MessageSettings {
  const thinks = thinksBy(wantsThinking({ sampling: sampling ?? null }), sampling)
  return {
    ...(sampling === undefined ? {} : { sampling }),
    ...(maxTokens === undefined ? {} : { maxTokens: withoutThinking(maxTokens, thinks) }),
  }
}

/** Why a request does not fit its session. It may name the agent or model that answers there, and must leave the rest to the session. */
function whyUnfit(session: Session, spoken: string | null, { model, tools }: CompletionRequest): string | undefined {
  const who = session.council === null ? (session.agent ?? ASSISTANT.key) : `council:${session.council}`
  if (model !== who && model !== spoken)
    return `model: in this session "${who}" answers; ask for that, or leave metadata.session out`
  if (tools !== undefined) return 'tools: in a session its own tools are used; leave these or metadata.session out'
  return undefined
}

/** No person can be asked here: a call that asks is denied at once, so that the answer does not wait for a day. */
export const denying =
  (engine: Pick<Engine, 'answer'>, onBug: (cause: unknown) => void) =>
  (signal: Signal): void => {
    if (signal.type === 'event' && signal.event.type === 'approval.asked')
      engine.answer(signal.event.approval, 'deny', 'nobody can be asked where this was said').catch(onBug)
  }
