// A dot in a voice's color.
import { isHouseVoice } from '../../../src/model/settings/council.ts'
import { useStore } from '../store/use-store.ts'
import { colorOf } from '../view/called.ts'

/** A voice's mark in its color; the name is always beside it. */
export function VoiceDot({ voice }: { readonly voice: string }): React.ReactNode {
  const color = useStore(state => colorOf(state, voice))
  return (
    <span
      className="voice-dot"
      aria-hidden="true"
      data-house={isHouseVoice(voice)}
      style={color === undefined ? undefined : { backgroundColor: color }}
    />
  )
}
