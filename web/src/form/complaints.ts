// Splits the gateway's complaints by the field they are about.
import type { ApiProblem } from '../wire/problem.ts'

/** One complaint about what was sent: its path, as in `advisors.1.name`, and the reason. */
export type Complaint = { readonly path: string; readonly why: string }

/** The gateway says everything that is wrong on one line, each with its path before it; a reason may have a semicolon of its own. */
export function complaintsOf(problem: ApiProblem | null): readonly Complaint[] {
  if (problem === null || (problem.status !== 400 && problem.status !== 422)) return []
  return problem.detail.split(NEXT).flatMap(line => {
    const found = LINE.exec(line)
    return found === null ? [] : [{ path: found[1] ?? '', why: sentence(found[2] ?? '') }]
  })
}

/** What is wrong with one field, or with anything within it. */
export function whyAt(complaints: readonly Complaint[], path: string): string | undefined {
  const here = complaints.filter(each => each.path === path || each.path.startsWith(`${path}.`))
  return here.length === 0 ? undefined : here.map(({ why }) => why).join(' ')
}

/** What no field of a form can show. */
export const elsewhere = (complaints: readonly Complaint[], paths: readonly string[]): readonly Complaint[] =>
  complaints.filter(({ path }) => paths.every(each => path !== each && !path.startsWith(`${each}.`)))

const PATH = String.raw`(?:[\w-]+|"[^"]*")(?:\.(?:[\w-]+|"[^"]*"))*`
const NEXT = new RegExp(`; (?=${PATH}: )`)
const LINE = new RegExp(`^(${PATH}): (.+)$`, 's')

/** An empty value is not worth repeating. */
function sentence(why: string): string {
  const words = why.replace(/^"" /, '').trim()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?!]$/.test(words) ? '' : '.'}`
}
