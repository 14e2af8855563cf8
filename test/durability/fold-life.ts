import type { Engine } from '../../src/index.ts'
import type { Log } from '../../src/log/ports.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { isInternalVoice } from '../../src/model/settings/council.ts'
import { stand } from '../support/council.ts'
import { engineWith, isEvent, until } from '../support/engine.ts'
import { answer, folding, isForFold, must, numberIn, question, SUMMARY } from '../support/folding.ts'

/** What a process is told that makes a fold, and where it is to die: at an append of a fold by its name, or at a piece of the model's words. */
export type FoldOrders = {
  readonly file: string
  readonly by: 'model' | 'extract'
  readonly death?: { readonly at: 'before' | 'after'; readonly append: string } | { readonly at: 'piece'; readonly piece: number }
}

/** The words of a summary as they come. */
export const PIECES: readonly string[] = SUMMARY.split(/(?<= )/)

/** After so many exchanges a fold is due. */
export const UNTIL_DUE = 4

/** An engine whose window is full after a few exchanges. */
export const foldingEngine = (log: Log, by: FoldOrders['by'], onPiece: (piece: number) => void = () => {}): Engine =>
  engineWith({
    ...{ log, policy: 'folding', vectorsFile: null },
    policies: [folding({ window: { kind: 'tokens', low: 500, high: 1000 }, fold: { by, tokens: 80 } })],
    provider: stand(async function* (request) {
      if (!isForFold(request)) yield { type: 'text', text: answer(numberIn(request)) }
      else
        for (const [index, text] of PIECES.entries()) {
          onPiece(index)
          yield { type: 'text', text }
        }
      yield { type: 'done' }
    }),
  })

/** Says the message of a number, once for ever, and waits for its answer. */
export async function exchange(engine: Engine, session: SessionId, n: number): Promise<void> {
  const { seq } = must(await engine.say({ session, text: question(n), from: 'person', key: `exchange ${n}` }))
  const answering = new Set<string>()
  await until(engine, session, signal => {
    if (isEvent(signal, 'turn.started') && signal.event.cause === seq && !isInternalVoice(signal.event.voice))
      answering.add(signal.event.turn)
    return isEvent(signal, 'turn.ended') && answering.has(signal.event.turn)
  })
}
