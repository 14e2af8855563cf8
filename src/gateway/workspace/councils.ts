/** The councils of a workspace and their file. */
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Council } from '../../model/settings/council.ts'
import { editFile } from '../files/edited-file.ts'
import type { FollowedFile } from '../files/followed-file.ts'
import { parseJsonc } from '../files/jsonc.ts'
import type { TextSource } from '../files/text-source.ts'
import { type CouncilsSetting, parseCouncils } from './councils-file.ts'

/** The councils of a workspace, always as its file has them now. Edits are written to the file one after another. */
export type Councils = FollowedFile<readonly Council[]> & {
  /** What an advisor may name here. */
  readonly setting: CouncilsSetting
  /** Adds or replaces a council. */
  readonly put: (key: string, council: Council) => Promise<Result<Council, Fault>>
  /** Edits the newest version of a council, including edits by others. */
  readonly edit: (key: string, change: (council: Council) => Result<Council, Fault>) => Promise<Result<Council, Fault>>
  readonly remove: (key: string) => Promise<Result<null, Fault>>
}

/** Computes the new council; null removes it. */
type Change = (council: Council | undefined) => Result<Council | null, Fault>

const NOWHERE = fault('conflict', 'this gateway has no workspace to keep councils in')

/** Without a workspace there are no councils. */
export const NO_COUNCILS: Councils = {
  now: () => [],
  trouble: () => undefined,
  setting: { model: 'demo', policies: [], catalog: { models: {}, servers: [] }, isBudgeted: false },
  put: async () => err(NOWHERE),
  edit: async () => err(NOWHERE),
  remove: async () => err(NOWHERE),
}

const HEADER = `// Councils: several advisors that answer the same message side by side. This file is read again whenever it changes.
// Turnwise writes it anew when a council is edited elsewhere. Your own comments are lost then; councils.json.bak has them.
`

/** Reads `councils.json`, and again whenever it has changed. A file that is wrong from the start is refused. */
export function openCouncils(file: string | TextSource, setting: CouncilsSetting): Result<Councils, Fault> {
  const edited = editFile<readonly Council[]>(file, {
    none: [],
    nothing: '{ "councils": {} }',
    parse: text => parseCouncils(text, setting),
    header: HEADER,
  })
  if (!edited.ok) return edited
  const { now, trouble, edit } = edited.value

  const changed = (key: string, change: Change): Promise<Result<Council | null, Fault>> =>
    edit(text => changedText(text, { key, change, setting }))
  const missing = (key: string): Result<never, Fault> => {
    const known = now().map(council => council.key)
    return err(
      fault('not-found', `there is no council "${key}"; ${known.length === 0 ? 'there are none' : `known: ${known.join(', ')}`}`),
    )
  }
  const stored = (key: string, change: Change): Promise<Result<Council, Fault>> =>
    changed(key, change).then(done => (done.ok && done.value === null ? missing(key) : (done as Result<Council, Fault>)))

  return ok({
    now,
    trouble,
    setting,
    put: (key, council) => stored(key, () => ok(council)),
    edit: (key, change) => stored(key, council => (council === undefined ? missing(key) : change(council))),
    remove: async key => {
      const done = await changed(key, council => (council === undefined ? missing(key) : ok(null)))
      return done.ok ? ok(null) : done
    },
  })
}

/** The text of a councils file as Turnwise writes it. */
export const councilsText = (file: object): string => `${HEADER}${JSON.stringify(file, null, 2)}\n`

type Changing = { readonly key: string; readonly change: Change; readonly setting: CouncilsSetting }

/** The file with one council changed and everything else as it was, and that council as stored. */
function changedText(
  text: string,
  { key, change, setting }: Changing,
): Result<{ readonly text: string; readonly answer: Council | null }, Fault> {
  const file = parseJsonc(text)
  const before = parseCouncils(text, setting)
  if (!file.ok) return file
  if (!before.ok) return before
  const changed = change(before.value.find(council => council.key === key))
  if (!changed.ok) return changed
  const councils = { ...(file.value.councils ?? {}), [key]: changed.value === null ? undefined : written(changed.value) }
  const whole = councilsText({ ...file.value, councils })
  const after = parseCouncils(whole, setting)
  return after.ok ? ok({ text: whole, answer: after.value.find(council => council.key === key) ?? null }) : after
}

const written = ({ key: _, ...council }: Council): object => council
