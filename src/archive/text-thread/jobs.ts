// The one text thread of a process.
import { createTextThread, type TextThread } from './text-thread.ts'

const source = import.meta.url.endsWith('.ts') ? './text-jobs.ts' : './text-jobs.js'

/** One thread for all exports and checks of a process. A slow text makes the next text wait, but never a stream. */
export const jobs: TextThread<typeof import('./text-jobs.ts')> = createTextThread({
  module: new URL(source, import.meta.url),
  mostMs: 10_000,
})

/** Written in place of a text that could not be written in time. */
export const TOO_SLOW = 'This takes too long to write out. The JSON export has it as it is.'
