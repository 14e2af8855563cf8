// node bench/council-fakes.ts <kind> …, forked by council.ts: a provider for each kind that is named, in this order.
import { startFake } from '../src/testing/index.ts'
import { type Kind, SCRIPTS } from './council-cast.ts'

process.once('disconnect', () => process.exit())
const kinds = process.argv.slice(2) as Exclude<Kind, 'talker'>[]
const fakes = await Promise.all(kinds.map(kind => startFake({ wire: 'openai', keepAlive: true, script: SCRIPTS[kind] })))
process.send?.(fakes.map(({ url }) => url))
