// The dialog that lists every keyboard shortcut.
import { chordWords, SHORTCUTS } from '../../parts/keys.ts'
import { APPLE } from '../../parts/platform.ts'
import { Dialog } from './dialog.tsx'

/** Every shortcut there is. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }): React.ReactNode {
  return (
    <Dialog title="Keyboard shortcuts" className="shortcuts" onClose={onClose}>
      <dl>
        {SHORTCUTS.map(({ action, words, chords }) => (
          <div key={action} className="shortcut">
            <dt>{words}</dt>
            <dd>
              {chords.map((chord, index) => {
                const keys = chordWords(chord, APPLE)
                return (
                  <span key={keys.join(' ')}>
                    {index > 0 && <span className="shortcut-or"> or </span>}
                    <Keys keys={keys} />
                  </span>
                )
              })}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

/** Keys that are pressed together. */
export function Keys({ keys }: { readonly keys: readonly string[] }): React.ReactNode {
  return (
    <span className="keys">
      {keys.map(key => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}
