// Ends every process that a call left behind.
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as after } from 'node:timers/promises'
import { MARKER } from './environment.ts'

const ROUNDS = 5
const PAUSE_MS = 10

/** Sends a signal to a whole process group. A group that is already gone is fine. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}

/** Ends the rest of a call: its process group, and on Linux also processes that left the group but carry the call's mark. */
export async function sweep(leader: number, mark: string): Promise<void> {
  signalGroup(leader, 'SIGKILL')
  if (process.platform !== 'linux') return
  // A dying process may still be listed, and a process may have forked during the search.
  for (let round = 0; round < ROUNDS; round += 1) {
    const escaped = await markedProcesses(leader, mark)
    if (escaped.length === 0) return
    for (const pid of escaped) signalProcess(pid)
    await after(PAUSE_MS)
  }
}

async function markedProcesses(leader: number, mark: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(pid => pid > 0 && pid !== process.pid)
  const younger = await isYoungerThan(leader)
  const marked = await Promise.all(pids.filter(younger).map(async pid => ((await carries(pid, mark)) ? [pid] : [])))
  return marked.flat()
}

/** Process ids rise. Only after they have started over from the bottom must all processes be looked at. */
async function isYoungerThan(leader: number): Promise<(pid: number) => boolean> {
  const load = await readFile('/proc/loadavg', 'utf8').catch(() => '')
  const latest = Number(load.trim().split(' ').at(-1))
  return latest >= leader ? pid => pid > leader : () => true
}

const carries = async (pid: number, mark: string): Promise<boolean> => {
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined)
  return environment?.includes(`${MARKER}=${mark}`) ?? false
}

function signalProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}
