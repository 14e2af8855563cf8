// The buttons that pin, exclude and link a message.
import { useState } from 'react'
import type { Mark } from '../../../../src/model/event.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Menu, type MenuItem } from '../../parts/menu/menu.tsx'
import { useActions, useStore } from '../../store/use-store.ts'
import { sessionHash } from '../../view/route.ts'
import type { Step } from '../../view/view.ts'
import { REACH_WORDS } from '../../words/memory-words.ts'
import { ActionButton } from './action-bar.tsx'
import { reachesFrom } from './reaches.ts'

type MarkActionsProps = {
  /** The seq of the message, or of each reply of a turn. */
  readonly seqs: readonly number[]
  readonly mark: Mark | null
  /** How far its pin reaches, if that is beyond this chat. */
  readonly reach?: Step['reach'] | undefined
  readonly isBusy: boolean
}

/** A person's word on a message: always sent, never sent, or as the policy has it. A turn is marked by its last reply. */
export function MarkActions({ seqs, mark, reach = undefined, isBusy }: MarkActionsProps): React.ReactNode {
  const actions = useActions()
  const about = useStore(state => state.about)
  const [opener, setOpener] = useState<HTMLElement | null>(null)
  const toggle = (wanted: Mark): void => {
    actions.mark(mark === wanted ? seqs : seqs.slice(-1), mark === wanted ? null : wanted).catch(reportError)
  }
  if (seqs.length === 0) return null
  const reaches = reachesFrom(about)
  const items = reaches.map(
    (each): MenuItem => ({
      words: REACH_WORDS[each],
      icon: 'pushpin',
      title: `Send it with every message in ${each === 'session' ? 'this chat' : each === 'project' ? 'this project' : 'every chat'}`,
      checked: mark === 'pin' && each === (reach ?? 'session'),
      run: () => void actions.mark(seqs.slice(-1), 'pin', each).catch(reportError),
    }),
  )
  const unpin: readonly MenuItem[] = mark === 'pin' ? [{ words: 'Unpin', icon: 'close', run: () => toggle('pin') }] : []
  return (
    <>
      <ActionButton
        icon="pushpin"
        label={mark === 'pin' ? 'Pinned: sent every time' : 'Pin: send it every time'}
        isPressed={mark === 'pin'}
        isDisabled={isBusy}
        hasMenu={reaches.length > 1}
        onPress={button => {
          if (reaches.length > 1) setOpener(opener === null ? button : null)
          else toggle('pin')
        }}
      />
      {opener !== null && (
        <Menu label="Pin it for" items={[...items, ...unpin]} opener={opener} onClose={() => setOpener(null)} />
      )}
      <ActionButton
        icon="hide"
        label={mark === 'exclude' ? 'Kept out: not sent. Send it again' : 'Keep out: do not send it'}
        isPressed={mark === 'exclude'}
        isDisabled={isBusy}
        onPress={() => toggle('exclude')}
      />
    </>
  )
}

/** The address of one message, to share or keep. */
export function LinkAction({ seq }: { readonly seq: number }): React.ReactNode {
  const session = useStore(state => state.session)
  const address = new URL(sessionHash(session, seq), location.href).href
  return <CopyButton text={address} label="Copy a link to this message" icon="link" />
}
