import { randomUUID } from 'node:crypto'
import { renameSync } from 'node:fs'
import { open, readFile, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stripComments } from 'jsonc-parser'
import type { Council } from '../model/council.ts'
import { type Fault, fault } from '../model/fault.ts'
import { err, ok, type Result } from '../model/result.ts'
import { type CouncilsSetting, parseCouncils } from './councils-file.ts'
import { type FollowedFile, followFile, stampOf } from './followed-file.ts'
import { parseJsonc } from './jsonc.ts'

/** The councils of a workspace, as its file has them now; edits are written to the file, one after the other. */
export type Councils = FollowedFile<readonly Council[]> & {
  /** What an advisor may name here. */
  readonly setting: CouncilsSetting
  /** Adds a council, or writes it anew in its place. */
  readonly put: (key: string, council: Council) => Promise<Result<Council, Fault>>
  /** Changes a council as it is by then, whoever else has written. */
  readonly edit: (key: string, change: (council: Council) => Result<Council, Fault>) => Promise<Result<Council, Fault>>
  readonly remove: (key: string) => Promise<Result<null, Fault>>
}

/** What a council becomes; null takes it out. */
type Change = (council: Council | undefined) => Result<Council | null, Fault>

const NOWHERE = fault('conflict', 'this gateway has no workspace to keep councils in')

/** Where there is no workspace there are no councils. */
export const NO_COUNCILS: Councils = {
  now: () => [],
  trouble: () => undefined,
  setting: { policies: [], catalog: { models: {}, servers: [] }, isBudgeted: false },
  put: async () => err(NOWHERE),
  edit: async () => err(NOWHERE),
  remove: async () => err(NOWHERE),
}

const MOST_TRIES = 5
const NOTHING = '{ "councils": {} }'

/** Reads `councils.json`, and again whenever it has changed; a file that is wrong from the start is refused. */
export function openCouncils(file: string, setting: CouncilsSetting): Result<Councils, Fault> {
  const followed = followFile<readonly Council[]>(file, { none: [], parse: text => parseCouncils(text, setting) })
  if (!followed.ok) return followed
  const { now, trouble } = followed.value
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = (key: string, change: Change): Promise<Result<Council | null, Fault>> => {
    const done = last.then(() => onNewest(key, change))
    last = done.catch(() => undefined)
    return done
  }
  const missing = (key: string): Result<never, Fault> => {
    const known = now().map(council => council.key)
    return err(
      fault('not-found', `there is no council "${key}"; ${known.length === 0 ? 'there are none' : `known: ${known.join(', ')}`}`),
    )
  }
  const stored = (key: string, change: Change): Promise<Result<Council, Fault>> =>
    inTurn(key, change).then(done => (done.ok && done.value === null ? missing(key) : (done as Result<Council, Fault>)))

  return ok({
    now,
    trouble,
    setting,
    put: (key, council) => stored(key, () => ok(council)),
    edit: (key, change) => stored(key, council => (council === undefined ? missing(key) : change(council))),
    remove: async key => {
      const done = await inTurn(key, council => (council === undefined ? missing(key) : ok(null)))
      return done.ok ? ok(null) : done
    },
  })

  /** Nobody else's edit is overwritten: where one came between, the change is made again on what it left. */
  async function onNewest(key: string, change: Change): Promise<Result<Council | null, Fault>> {
    try {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const done = await attempt(key, change)
        if (done !== 'changed meanwhile') return done
      }
      return err(fault('conflict', `${file}: somebody else keeps writing it; try again`))
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      if (code === undefined) throw cause
      return err(fault('store', `${file}: it could not be written (${message})`))
    }
  }

  async function attempt(key: string, change: Change): Promise<Result<Council | null, Fault> | 'changed meanwhile'> {
    const stamp = stampOf(file)
    const wrong = trouble()
    if (wrong !== undefined) return err(fault('conflict', `${wrong}; until that is mended nothing is written`))
    const text = stamp === undefined ? NOTHING : await readFile(file, 'utf8')
    const changed = changedText(text, { key, change, setting })
    if (!changed.ok) return changed
    const isWritten = await replaced(file, changed.value.text, { text, stamp })
    return isWritten ? ok(changed.value.council) : 'changed meanwhile'
  }
}

/** Stands at the top of every file that we write. */
const HEADER = `// Councils: several advisors that answer the same message side by side. This file is read again whenever it changes.
// Turnwise writes it anew when a council is edited elsewhere. Your own comments are lost then; councils.json.bak has them.
`

/** A file of councils as we write it. */
export const councilsText = (file: object): string => `${HEADER}${JSON.stringify(file, null, 2)}\n`

type Edit = { readonly key: string; readonly change: Change; readonly setting: CouncilsSetting }

/** The file with one council changed and all else as it was, and that council as it then stands there. */
function changedText(
  text: string,
  { key, change, setting }: Edit,
): Result<{ readonly text: string; readonly council: Council | null }, Fault> {
  const file = parseJsonc(text)
  const before = parseCouncils(text, setting)
  if (!file.ok) return file
  if (!before.ok) return before
  const changed = change(before.value.find(council => council.key === key))
  if (!changed.ok) return changed
  const councils = { ...(file.value.councils ?? {}), [key]: changed.value === null ? undefined : written(changed.value) }
  const whole = councilsText({ ...file.value, councils })
  const after = parseCouncils(whole, setting)
  return after.ok ? ok({ text: whole, council: after.value.find(council => council.key === key) ?? null }) : after
}

const written = ({ key: _, ...council }: Council): object => council

type Before = { readonly text: string; readonly stamp: string | undefined }

/** Whole or not at all, for its owner alone; false if the file is no longer the one that was read. */
async function replaced(file: string, text: string, before: Before): Promise<boolean> {
  // Where the file is a link, what it leads to is written, and it stays a link.
  const target = before.stamp === undefined ? file : await realpath(file)
  const draft = join(dirname(target), `.councils-${randomUUID()}.new`)
  try {
    await writeDurably(draft, text)
    if (hasOwnComments(before.text)) await writeDurably(`${file}.bak`, before.text)
    if (stampOf(file) !== before.stamp) return false
    renameSync(draft, target)
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

function hasOwnComments(text: string): boolean {
  const own = text.startsWith(HEADER) ? text.slice(HEADER.length) : text
  return stripComments(own) !== own
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
