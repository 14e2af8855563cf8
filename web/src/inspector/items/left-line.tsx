// Says where in the conversation a left-out item is.
import type { OutLine } from '../../../../src/model/receipt.ts'
import { JumpLink } from '../../reply/actions/jump-link.tsx'
import { formatCount } from '../../words/words.ts'
import { spanWords } from './groups.ts'
import { MarkWithEffect } from './mark-with-effect.tsx'

/** Where a left-out item is in the conversation. */
export function LeftLine({ line, voice }: { readonly line: OutLine; readonly voice: string }): React.ReactNode {
  const { from, to, count: many } = line
  const isOne = from !== undefined && from === (to ?? from)
  return (
    <td className="left-line" colSpan={4}>
      {formatCount(many)} {many === 1 ? 'message' : 'messages'}
      {from !== undefined && (
        <>
          , <JumpLink seq={from}>{`event ${spanWords({ from })}`}</JumpLink>
          {!isOne && to !== undefined && (
            <>
              {' to '}
              <JumpLink seq={to}>{String(to)}</JumpLink>
            </>
          )}
        </>
      )}
      {isOne && <MarkWithEffect seq={from} voice={voice} />}
    </td>
  )
}
