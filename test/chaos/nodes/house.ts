/** The workspace of one node: the same on all of them, with tools that leave a line for each time they ran in a file that all share. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { modelOf } from '../asked.ts'
import { ADVISORS, SYNTHESIS } from '../conversation.ts'

export type NodeHouse = { readonly home: string; readonly binaries: string; readonly effects: string }

/** The line is written at once, so that lines of several processes cannot mix. The pause leaves room for a kill on both sides of it. */
const program = (effects: string): string => `#!/bin/sh
sleep 0.02
echo "$1 $2" >> '${effects}'
sleep 0.02
echo "$1 is done"
`

const parameters = {
  type: 'object',
  properties: { what: { type: 'string' }, call: { type: 'string' } },
  required: ['what', 'call'],
}
const TOOLS = ['look', 'act', 'sign']
const tools = {
  tools: TOOLS.map(name => ({
    ...{ name, description: `Can ${name}`, parameters },
    ...(name === 'look' ? { readOnly: true, idempotent: true } : { idempotent: false }),
  })),
  allowlist: { counting: [''] },
  execution: TOOLS.map(tool => ({
    ...{ tool, binary: 'counting', subcommand: '' },
    args: ['what', 'call'].map(param => ({ param, kind: 'positional' })),
  })),
}

/** Three long messages fill it. */
const SMALL = { kind: 'tokens', low: 150, high: 300 }
const FOLDING = { window: SMALL, fold: { by: 'model', tokens: 60 }, budget: { tokens: 6000 } }

export function buildNodeHouse(folder: string, name: string, provider: string): NodeHouse {
  const home = join(folder, name)
  const binaries = join(folder, 'bin')
  const effects = join(folder, 'effects')
  mkdirSync(join(home, 'skills/shed'), { recursive: true, mode: 0o700 })
  mkdirSync(binaries, { recursive: true })
  const write = (path: string, value: unknown): void =>
    writeFileSync(join(home, path), typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 })
  write('turnwise.json', {
    model: `compatible/chaos/${modelOf(SYNTHESIS)}`,
    providers: { chaos: { baseURL: `${provider}/${name}/v1`, concurrency: 32 } },
    tools: { approve: { act: 'auto', sign: 'ask' } },
    policies: { told: FOLDING, circle: { ...FOLDING, extends: 'council' } },
    resume: { continuations: 10 },
  })
  const advisors = ADVISORS.map(id => ({
    ...{ id, name: `${id[0]?.toUpperCase()}${id.slice(1)}`, description: 'You know gardens.' },
    model: `compatible/chaos/${modelOf(id)}`,
  }))
  write('councils.json', { councils: { garden: { name: 'Garden', advisors, early: { turns: 1 }, synthesis: 'brief' } } })
  write('skills/shed/SKILL.md', '---\nname: shed\ndescription: The shed\n---\nUse look, act and sign.\n')
  write('skills/shed/tools.json', tools)
  writeFileSync(effects, '', { flag: 'a' })
  writeFileSync(join(binaries, 'counting'), program(effects))
  chmodSync(join(binaries, 'counting'), 0o755)
  return { home, binaries, effects }
}
