// The settings of an MCP server as form fields, and back.
import type { McpSetting } from '../../../../src/model/settings/config.ts'
import type { SettingPatch } from '../../wire/settings-api.ts'
import { mergePatchBetween } from '../settings/setting-tree.ts'

export type McpForm = {
  readonly name: string
  readonly kind: 'process' | 'http'
  readonly command: string
  /** One per line. */
  readonly args: string
  /** `NAME=value`, one per line. */
  readonly env: string
  readonly url: string
  /** `Name: value`, one per line. */
  readonly headers: string
}

export const NEW_SERVER: McpForm = { name: '', kind: 'process', command: '', args: '', env: '', url: '', headers: '' }

export function mcpFormOf(name: string, setting: McpSetting): McpForm {
  if ('url' in setting) return { ...NEW_SERVER, name, kind: 'http', url: setting.url, headers: lines(setting.headers, ': ') }
  return { ...NEW_SERVER, name, command: setting.command, args: (setting.args ?? []).join('\n'), env: lines(setting.env, '=') }
}

/** Empty fields are left out. */
export function mcpSettingOf(form: McpForm): McpSetting {
  if (form.kind === 'http') {
    const headers = recordOf(form.headers, ':')
    return { url: form.url.trim(), ...(Object.keys(headers).length === 0 ? {} : { headers }) }
  }
  const args = form.args.split('\n').filter(line => line.trim() !== '')
  const env = recordOf(form.env, '=')
  return {
    command: form.command.trim(),
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  }
}

/** Only what differs is sent, so a hidden value that was not touched stays as it is. */
export function mcpPatch(form: McpForm, before: McpSetting | undefined): SettingPatch {
  const wanted = before === undefined ? mcpSettingOf(form) : { ...mcpSettingOf(form), ...untouched(form, before) }
  return { mcp: { [form.name]: before === undefined ? wanted : mergePatchBetween({ ...before }, { ...wanted }) } }
}

/** Fields that say what they said: an argument may have several lines, or none, which its text cannot tell. */
function untouched(form: McpForm, before: McpSetting): object {
  const same = mcpFormOf(form.name, before)
  if (same.kind !== form.kind) return {}
  const names = ('url' in before ? ['headers'] : ['args', 'env']) as readonly ('args' | 'env' | 'headers')[]
  const given: Readonly<Record<string, unknown>> = { ...before }
  return Object.fromEntries(
    names.filter(name => form[name] === same[name] && given[name] !== undefined).map(name => [name, given[name]]),
  )
}

/** What is wrong with a form, by its field. */
export function mcpComplaints(form: McpForm, taken: readonly string[]): Partial<Record<keyof McpForm, string>> {
  return {
    ...(!/^[a-z0-9][a-z0-9-]{0,31}$/.test(form.name)
      ? { name: 'Use lowercase letters, digits and -.' }
      : taken.includes(form.name)
        ? { name: 'There is a server with this name.' }
        : {}),
    ...(form.kind === 'process' && form.command.trim() === '' ? { command: 'Enter the program to start.' } : {}),
    ...(form.kind === 'http' && !/^https?:\/\/./.test(form.url.trim())
      ? { url: 'Enter an address with http:// or https://.' }
      : {}),
    ...(isLines(form.env, '=') ? {} : { env: 'Write NAME=value, one per line.' }),
    ...(isLines(form.headers, ':') ? {} : { headers: 'Write Name: value, one per line.' }),
  }
}

const lines = (record: Readonly<Record<string, string>> | undefined, between: string): string =>
  Object.entries(record ?? {})
    .map(([key, value]) => `${key}${between}${value}`)
    .join('\n')

const filled = (text: string): readonly string[] => text.split('\n').filter(line => line.trim() !== '')

const isLines = (text: string, between: string): boolean => filled(text).every(line => line.indexOf(between) > 0)

const recordOf = (text: string, between: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filled(text).map(line => {
      const at = line.indexOf(between)
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
