// The one text thread of a process.
import { createTextThread, type TextThread } from './text-thread.ts'

const source = import.meta.url.endsWith('.ts') ? './text-jobs.ts' : './text-jobs.js'

/** One thread for all exports and checks of a process: a text that takes long makes the next one wait, and no stream. */
export const jobs: TextThread<typeof import('./text-jobs.ts')> = createTextThread({
  module: new URL(source, import.meta.url),
  mostMs: 10_000,
})

/** Written in place of what could not be written in time. */
export const TOO_SLOW = 'This takes too long to write out. The JSON export has it as it is.'
