import { useActions } from '../use-store.ts'
import { Icon } from './icon.tsx'
import { Who } from './who.tsx'

const TRICKS = [
  { say: 'what do you remember?', shows: 'It quotes what is in its context, and says what is not.' },
  { say: 'say 50 words', shows: 'Watch a reply stream; stop it with Esc.' },
  { say: 'think about the sea', shows: 'Thinking comes first, folded away.' },
  { say: 'what was my first message?', shows: 'Ask again later, when the window has moved on.' },
] as const

/** The start of a conversation, with something to try. */
export function Welcome(): React.ReactNode {
  const { write, send } = useActions()
  return (
    <section className="welcome">
      <span className="welcome-mark">
        <Icon name="mark" />
      </span>
      <h2>What is on your mind?</h2>
      <p>Every reply comes with a receipt: exactly what the model saw, what it did not, and why.</p>
      <Who />
      <ul className="tricks" aria-label="Things to try with the demo model">
        {TRICKS.map(({ say, shows }) => (
          <li key={say}>
            <button
              type="button"
              className="trick"
              onClick={() => {
                write(say)
                send().catch(reportError)
              }}
            >
              <span className="trick-say">{say}</span>
              <span className="trick-shows">{shows}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
