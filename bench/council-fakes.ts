// node bench/council-fakes.ts <kind> …, forked by council.ts: a provider for each kind that is named, in this order.
import { startFake } from '../src/testing/index.ts'
import { type Kind, SCRIPTS } from './council-cast.ts'
import { startTalker } from './council-talker.ts'

process.once('disconnect', () => process.exit())
process.send?.(await Promise.all((process.argv.slice(2) as Kind[]).map(urlOf)))

async function urlOf(kind: Kind): Promise<string> {
  return kind === 'talker' ? startTalker() : (await startFake({ wire: 'openai', keepAlive: true, script: SCRIPTS[kind] })).url
}
