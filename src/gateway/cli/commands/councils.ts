// The councils command.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Advisor, Council } from '../../../model/settings/council.ts'
import { parseJsonc } from '../../files/jsonc.ts'
import { advisorNamed, imported, withActive, withoutAdvisor } from '../../workspace/council-edits.ts'
import type { Councils } from '../../workspace/councils.ts'
import { parseAdvisors } from '../../workspace/councils-file.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { aligned } from '../output/aligned.ts'
import { escapeForTerminal, escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { counted } from '../output/phrase.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'

/** What a person wants to do with councils. */
export type CouncilAction =
  | { readonly verb: 'list' }
  | { readonly verb: 'show'; readonly key: string }
  | { readonly verb: 'export'; readonly key: string; readonly file?: string | undefined }
  | { readonly verb: 'import'; readonly key: string; readonly file: string }
  | { readonly verb: 'hide' | 'unhide' | 'remove'; readonly key: string; readonly advisor: string }

/** Works on the workspace's file, whether or not a gateway is running. */
export async function councilsCommand(
  terminal: Terminal,
  deed: CouncilAction,
  { json = false }: { readonly json?: boolean },
): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const { councils } = workspace.value
  const done = await lines(terminal, councils, deed)
  if (!done.ok) return complain(terminal, done.fault.message)
  if (json && !isFile(deed)) print(terminal, jsonForTerminal(nowOf(councils.now(), deed)))
  else if (isFile(deed)) print(terminal, ...done.value)
  else printPage(terminal, ...done.value)
  return 0
}

/** Whether the output is a JSON file already. */
const isFile = (deed: CouncilAction): boolean => deed.verb === 'export' && deed.file === undefined

/** The output for programs: all councils, or the one council as it is after the action. */
const nowOf = (councils: readonly Council[], deed: CouncilAction): unknown =>
  deed.verb === 'list' ? { items: councils } : councils.find(({ key }) => key === deed.key)

type Lines = Result<readonly string[], Fault>

async function lines(terminal: Terminal, councils: Councils, deed: CouncilAction): Promise<Lines> {
  if (deed.verb === 'list') return ok(listing(terminal, councils.now()))
  const council = councilNamed(councils.now(), deed.key)
  if (!council.ok) return council
  switch (deed.verb) {
    case 'show':
      return ok(page(terminal, council.value))
    case 'export':
      return exported(council.value, deed.file)
    case 'import':
      return taken(councils, deed)
    case 'hide':
    case 'unhide':
    case 'remove':
      return changed(councils, council.value, deed)
  }
}

function councilNamed(councils: readonly Council[], wanted: string): Result<Council, Fault> {
  const council = councils.find(({ key }) => key === wanted)
  if (council !== undefined) return ok(council)
  const known = councils.length === 0 ? 'there are none in councils.json' : `known: ${councils.map(({ key }) => key).join(', ')}`
  return err(fault('not-found', `there is no council "${wanted}"; ${known}`))
}

function listing(terminal: Terminal, councils: readonly Council[]): readonly string[] {
  const { dim } = inkFor(terminal.stdout, terminal.environment)
  if (councils.length === 0) return [dim('  there are no councils; docs/councils.md shows how councils.json is written')]
  return aligned(councils.map(({ key, name, advisors }) => [key, escapeToOneLine(name), advisors.map(shortly).join(', ')]))
}

const shortly = ({ name, active }: Advisor): string => `${escapeToOneLine(name)}${active ? '' : ' (hidden)'}`

function page(terminal: Terminal, { key, name, references, early, synthesis, advisors }: Council): readonly string[] {
  const { dim } = inkFor(terminal.stdout, terminal.environment)
  const rules = [
    references === 'none' ? 'they hear nothing of each other' : 'they hear of each other’s last answers',
    early.turns === 0 ? 'no early turns' : `${counted(early.turns, 'early turn')}`,
    ...(synthesis === undefined ? [] : [`synthesis: ${synthesis}`]),
  ]
  return [
    `${escapeToOneLine(name)} ${dim(`(${key})`)}`,
    dim(rules.join(' · ')),
    ...advisors.flatMap(advisor => ['', `${shortly(advisor)} ${dim(detailsOf(advisor))}`, ...indented(advisor.description)]),
  ]
}

const detailsOf = ({ id, color, group, model, policy, house, thinking }: Advisor): string =>
  [
    id,
    color,
    ...(group === undefined ? [] : [escapeToOneLine(group)]),
    ...(model === undefined ? [] : [model]),
    ...(policy === undefined ? [] : [`policy ${policy}`]),
    ...(house === true ? ['house text, skills and tools'] : []),
    ...(thinking === true ? ['thinking'] : []),
  ].join(' · ')

const indented = (text: string): readonly string[] =>
  escapeForTerminal(text)
    .split('\n')
    .map(line => `  ${line}`.trimEnd())

function exported({ key, advisors }: Council, file: string | undefined): Lines {
  if (file === undefined) return ok([jsonForTerminal({ advisors }, 2)])
  try {
    writeFileSync(file, `${jsonForTerminal({ advisors }, 2)}\n`, { flag: 'wx', mode: 0o600 })
    return ok([`${escapeToOneLine(file)} has the ${counted(advisors.length, 'advisor')} of "${key}"`])
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    if (code === 'EEXIST') return err(fault('invalid', `${file} exists already and is left as it is; choose another name`))
    return err(fault('invalid', `${file} cannot be written (${code}); choose another place`))
  }
}

async function taken(councils: Councils, { key, file }: { readonly key: string; readonly file: string }): Promise<Lines> {
  const given = read(file)
  const advisors = given.ok ? parseAdvisors(given.value, councils.setting) : given
  if (!advisors.ok) return err(fault('invalid', `${file}: ${advisors.fault.message.replaceAll('\n', '; ')}`))
  const before = new Set(
    councils
      .now()
      .find(council => council.key === key)
      ?.advisors.map(({ id }) => id),
  )
  const done = await councils.edit(key, council => ok(imported(council, advisors.value)))
  if (!done.ok) return done
  const added = done.value.advisors.filter(({ id }) => !before.has(id)).length
  return ok([
    `"${key}" has ${counted(done.value.advisors.length, 'advisor')}: ${added} new, ${advisors.value.length - added} replaced`,
  ])
}

/** The most bytes that a gateway accepts in one body. */
const MOST_BYTES = 1 << 20

function read(file: string): Result<Record<string, unknown>, Fault> {
  try {
    const text = readFileSync(file, 'utf8')
    return text.length > MOST_BYTES ? err(fault('too-large', 'it has more than 1 MiB')) : parseJsonc(text)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', `it cannot be read (${code})`))
  }
}

const SAYS = {
  hide: 'is hidden now, and answers only when it is named',
  unhide: 'answers every message again',
  remove: 'is no longer in the council; what it said stays in its sessions',
} as const

async function changed(
  councils: Councils,
  council: Council,
  { verb, key, advisor }: { readonly verb: keyof typeof SAYS; readonly key: string; readonly advisor: string },
): Promise<Lines> {
  const wanted = advisorNamed(council, advisor)
  if (!wanted.ok) return wanted
  const { id, name } = wanted.value
  const done = await councils.edit(key, now =>
    verb === 'remove' ? withoutAdvisor(now, id) : withActive(now, id, verb === 'unhide'),
  )
  return done.ok ? ok([`${escapeToOneLine(name)} (${id}) ${SAYS[verb]}`]) : done
}
