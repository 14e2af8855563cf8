// Words for where a setting comes from.
import type { ListedSetting } from '../wire/settings-api.ts'

const SOURCES: Readonly<Record<ListedSetting['source'], string>> = {
  default: 'Default',
  file: 'turnwise.json',
  environment: 'Environment',
}

/** Where a value comes from, in a word or two. */
export const settingSource = ({ source }: Pick<ListedSetting, 'source'>): string => SOURCES[source]

/** Why a setting cannot be changed on the page; undefined if it can. */
export function whyFixed({ source, editable, why }: Pick<ListedSetting, 'source' | 'editable' | 'why'>): string | undefined {
  if (editable) return undefined
  if (why !== undefined && why !== '') return sentence(why)
  return source === 'environment' ? 'Set by an environment variable.' : 'Set in turnwise.json.'
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?!]$/.test(words) ? '' : '.'}`
