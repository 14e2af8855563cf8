import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { modelOf } from './asked.ts'
import { ADVISORS, CLERK, type SessionName, SYNTHESIS } from './conversation.ts'

/** A workspace for one run, with a skill of two tools that leave a line for each time they ran. */
export type House = {
  readonly home: string
  readonly database: string
  readonly binaries: string
  /** One line for each effect that a tool had. */
  readonly counter: string
  /** One line for each tool that has begun, and for each that has had its effect. */
  readonly trace: string
  /** As long as it exists, a tool waits there. */
  readonly holdFile: (point: string) => string
  readonly keptFile: string
  readonly recordFile: string
}

export type HouseOptions = {
  readonly folder: string
  readonly provider: string
  readonly continuations?: number
  /** A tool that says of itself, against the truth, that it may be run again: whoever counts must notice. */
  readonly isBroken?: boolean
}

/** Begins, has its effect, ends; and waits in between for as long as it is told to. */
const PROGRAM = `#!/bin/sh
echo "$1 begun" >> trace
while [ -e "hold-$1-begun" ]; do sleep 0.02; done
echo "$1" >> counter
echo "$1 counted" >> trace
while [ -e "hold-$1-counted" ]; do sleep 0.02; done
echo "$1 is done"
`

const parameters = { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] }
const execution = ['look', 'act'].map(tool => ({
  ...{ tool, binary: 'counting', subcommand: '' },
  args: [{ param: 'what', kind: 'positional' }],
}))
const toolsWith = (actAgain: boolean): object => ({
  tools: [
    { name: 'look', description: 'Looks', parameters, readOnly: true, idempotent: true },
    { name: 'act', description: 'Acts', parameters, idempotent: actAgain },
  ],
  allowlist: { counting: [''] },
  execution,
})

/** Three long messages fill it. */
const SMALL = { kind: 'tokens', low: 150, high: 300 }

export function buildHouse({ folder, provider, continuations, isBroken = false }: HouseOptions): House {
  const home = join(folder, 'home')
  const binaries = join(folder, 'bin')
  mkdirSync(join(home, 'skills/shed'), { recursive: true, mode: 0o700 })
  mkdirSync(binaries)
  const write = (path: string, value: unknown): void =>
    writeFileSync(join(home, path), typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 })
  write('turnwise.json', {
    model: `compatible/chaos/${modelOf(SYNTHESIS)}`,
    providers: { chaos: { baseURL: provider } },
    tools: { approve: { act: 'auto' } },
    policies: {
      told: { window: SMALL, fold: { by: 'model', tokens: 60 }, budget: { tokens: 6000 } },
      noted: { window: SMALL, fold: { by: 'extract', tokens: 60 }, budget: { tokens: 6000 } },
      circle: { extends: 'council', window: SMALL, fold: { by: 'model', tokens: 60 }, budget: { tokens: 6000 } },
    },
    ...(continuations === undefined ? {} : { resume: { continuations } }),
  })
  const advisors = ADVISORS.map(id => ({
    ...{ id, name: `${id[0]?.toUpperCase()}${id.slice(1)}`, description: 'You know gardens.' },
    model: `compatible/chaos/${modelOf(id)}`,
  }))
  write('councils.json', { councils: { garden: { name: 'Garden', advisors, early: { turns: 1 }, synthesis: 'brief' } } })
  write('skills/shed/SKILL.md', '---\nname: shed\ndescription: The shed\n---\nUse look and act.\n')
  write('skills/shed/tools.json', toolsWith(isBroken))
  write('counter', '')
  write('trace', '')
  writeFileSync(join(binaries, 'counting'), PROGRAM)
  chmodSync(join(binaries, 'counting'), 0o755)
  return {
    ...{ home, binaries },
    database: join(home, 'turnwise.db'),
    counter: join(home, 'counter'),
    trace: join(home, 'trace'),
    holdFile: point => join(home, `hold-${point.replace(' ', '-')}`),
    keptFile: join(home, 'kept'),
    recordFile: join(home, 'appends'),
  }
}

/** What each session is opened with. */
export const WISHES: Readonly<Record<SessionName, object>> = {
  agent: { model: `compatible/chaos/${modelOf(CLERK)}` },
  council: { council: 'garden', policy: 'circle' },
  told: { model: `compatible/chaos/${modelOf(CLERK)}`, policy: 'told' },
  noted: { model: `compatible/chaos/${modelOf(CLERK)}`, policy: 'noted' },
}
