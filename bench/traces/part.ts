// node bench/traces/part.ts <set> <limit> [folder], forked by traces.ts: replays one set at one limit and says its rows.
import { rememberingMeasure, rowsOfSet } from './run.ts'
import { sourcesOf } from './sources.ts'
import { traceWindows } from './windows.ts'

const [, , name = '', limit = '', folder] = process.argv
const measure = rememberingMeasure()
const { windows } = await traceWindows(measure.count)
const set = sourcesOf(folder).sets.find(each => each.name === name)
if (set === undefined) throw new Error(`there is no set ${name}`)
process.send?.(await rowsOfSet({ ...set, limits: [Number(limit)] }, windows, measure))
