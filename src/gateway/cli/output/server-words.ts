// Says how an MCP server is, and what to do about one that is not ready.
import type { ServerNow } from '../talk/equipment-now.ts'
import { counted } from './phrase.ts'

/** One row for people: the state, and why or how many tools. */
export function serverWords({ state, message, tools }: ServerNow): string {
  const why = message === null ? '' : `: ${message}`
  switch (state) {
    case 'ready':
      return `ready, ${counted(tools.length, 'tool')}${message === null ? '' : `; ${message}`}`
    case 'starting':
      return 'starting: it has not answered yet'
    case 'down':
      return `down${why}`
    case 'sign-in':
      return 'needs sign-in: it wants a person to sign in'
    case 'refused':
      return `refused by the settings${why}`
  }
}

/** What a person can do; nothing has to be done about a server that is ready. */
export function serverRemedy({ name, kind, state }: ServerNow): string | undefined {
  switch (state) {
    case 'ready':
      return undefined
    case 'starting':
      return 'try again in a moment; a slow server may take half a minute'
    case 'down':
      return kind === 'http'
        ? `check that it runs, and mcp.${name}.url and its headers in turnwise.json`
        : `run its command yourself, and check mcp.${name} in turnwise.json; the MCP servers page shows what it wrote`
    case 'sign-in':
      return 'open the MCP servers page and sign in'
    case 'refused':
      return `change mcp.${name} in turnwise.json, or take it out`
  }
}
