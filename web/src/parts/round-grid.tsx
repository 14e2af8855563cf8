import type { ReplyEntry } from '../view.ts'
import { Reply } from './reply.tsx'

/** What the advisors of a council said to one message, side by side. */
export function RoundGrid({ replies }: { readonly replies: readonly ReplyEntry[] }): React.ReactNode {
  return replies.map(reply => <Reply key={`${reply.seq} ${reply.turn}`} entry={reply} />)
}
