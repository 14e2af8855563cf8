// Finds the advisors that a text names with an at sign.
import type { Advisor, Council } from '../../../../src/model/settings/council.ts'
import { mentioned } from '../../../../src/turn/council/round-members.ts'

/** The names of the advisors a text is for; none if it is for all. The gateway uses the same rule. */
export function addressedIn(council: Council | undefined, text: string): readonly string[] {
  if (council === undefined || !text.includes('@')) return []
  const called = mentioned(council, text)
  return council.advisors.filter(({ id }) => called.includes(id)).map(({ name }) => name)
}

/** The name that the person is typing: from the at sign to the caret. */
export type Naming = { readonly from: number; readonly query: string }

/** Null if the caret is in no name: an e-mail address is none, and a space ends a name. */
export function namingAt(text: string, caret: number): Naming | null {
  const found = /(?<![\p{L}\p{N}._/`-])@([\p{L}\p{N}_-]*)$/u.exec(text.slice(0, caret))
  return found === null ? null : { from: found.index, query: found[1] ?? '' }
}

/** The advisors that a beginning may mean, by name, id or a later word of the name. */
export function advisorsFor({ advisors }: Council, query: string): readonly Advisor[] {
  const wanted = query.toLocaleLowerCase('en')
  const words = ({ id, name }: Advisor): readonly string[] =>
    [id, name, ...name.split(/\s+/)].map(word => word.toLocaleLowerCase('en'))
  return advisors.filter(advisor => words(advisor).some(word => word.startsWith(wanted)))
}

/** How a text names an advisor: by a name of one word, else by the id, which has no spaces. */
export const mentionOf = ({ id, name }: Advisor): string => `@${/\s/.test(name) ? id : name}`
