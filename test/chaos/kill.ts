/** Where a gateway is killed: by a name that is the same in every run, or by how many came before in its life. */
export type Kill =
  /** Just before an append, or when it is durable and nobody has been told. */
  | { readonly at: 'append'; readonly when: 'before' | 'after'; readonly point: string | number }
  /** Inside a reply, when a frame of it was sent; `kept`: once what it said so far is kept beside the log. */
  | { readonly at: 'frame'; readonly kept: boolean; readonly point: string | number }
  /** Inside a tool's process, before or after its effect. */
  | { readonly at: 'tool'; readonly point: string }

export const KILL_VARIABLE = 'TURNWISE_CHAOS_KILL'
/** As long as this file exists, the next checkpoint is the gateway's last. */
export const KEPT_FILE_VARIABLE = 'TURNWISE_CHAOS_KEPT_FILE'
/** The name of every append goes to this file. */
export const RECORD_FILE_VARIABLE = 'TURNWISE_CHAOS_RECORD_FILE'

export const wordsOf = (kill: Kill): string => {
  if (kill.at === 'append') return `${kill.when} append ${kill.point}`
  if (kill.at === 'frame') return `after frame ${kill.point}${kill.kept ? ', kept' : ''}`
  return `inside tool ${kill.point}`
}

/** What kill points are counted by. */
export const kindOf = (kill: Kill): string => {
  if (kill.at === 'append') return `${kill.when} an append`
  if (kill.at === 'frame') return kill.kept ? 'inside a reply, kept' : 'inside a reply, not kept'
  return 'inside a tool'
}
