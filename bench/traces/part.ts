// node bench/traces/part.ts <set> <limit> <windows> [folder], forked by traces.ts: replays one set at one limit and says its rows.
import { rememberingMeasure, rowsOfSet } from './run.ts'
import { sourcesOf } from './sources.ts'
import { traceWindows } from './windows.ts'

const [, , name = '', limit = '', which = '', folder] = process.argv
const measure = rememberingMeasure()
const { windows: all } = await traceWindows(measure.count)
const windows = all.filter(window => window.name.startsWith(which))
const set = sourcesOf(folder).sets.find(each => each.name === name)
if (set === undefined) throw new Error(`there is no set ${name}`)
process.send?.(await rowsOfSet({ ...set, limits: [Number(limit)] }, windows, measure))
