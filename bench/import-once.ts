// One import in a process of its own, so that its memory is nobody else's: file and database in, numbers out.
import { createReadStream } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openEngine } from '../src/engine.ts'
import { sure } from './measure.ts'

const [, , file = '', database = ''] = process.argv
const engine = sure(await openEngine(database))
/** How long the thread that answers everybody was away, at most. */
const pauses = monitorEventLoopDelay({ resolution: 1 })
pauses.enable()
const before = process.memoryUsage.rss()
const started = performance.now()
const { sessions, messages } = sure(await engine.import(createReadStream(file, { highWaterMark: 1 << 18 })))
const ms = performance.now() - started
pauses.disable()
const grewMb = (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20
console.log(JSON.stringify({ sessions, messages, ms, grewMb, pauseMs: pauses.max / 1e6 }))
await engine.close(0)
