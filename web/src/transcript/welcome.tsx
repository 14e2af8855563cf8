// The empty conversation: a way to connect a model, and examples to try with the demo.
import { ConnectCard } from '../connect/connect-choices.tsx'
import { useFrame } from '../parts/frame.ts'
import { Icon } from '../parts/icon.tsx'
import { modelsAsked, useWorkspaceLists } from '../parts/use-workspace-lists.ts'
import { useActions, useStore } from '../store/use-store.ts'
import { hashOf } from '../view/route.ts'
import { providerOf } from '../words/model-words.ts'

const TRICKS = [
  { say: 'what do you remember?', shows: 'It quotes what is in its context, and says what is not.' },
  { say: 'say 50 words', shows: 'Watch a reply stream; stop it with Esc.' },
  { say: 'think about the sea', shows: 'Thinking comes first, folded away.' },
  { say: 'what was my first message?', shows: 'Ask again later, when the window has moved on.' },
] as const

/** The start of a conversation: with the demo model there is something to try, and without a model it says what is missing. */
export function Welcome(): React.ReactNode {
  const lists = useWorkspaceLists()
  const { connect } = useFrame()
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const councils = useStore(state => state.councils)
  const whom = useStore(state => state.whom)
  const wish = useStore(state => state.wish)
  const asked = lists === null ? [] : modelsAsked(lists, { session, about, councils, whom, wish })
  const missing = lists?.models.find(({ name, ready }) => !ready && asked.includes(name))
  return (
    <section className="welcome">
      <span className="welcome-mark">
        <Icon name="mark" />
      </span>
      <h2>What is on your mind?</h2>
      <p>Every reply comes with a receipt: exactly what the model saw, what it did not, and why.</p>
      {missing !== undefined && (
        <p className="welcome-missing">
          <Icon name="info" />
          <span>
            {missing.name} is not ready{missing.needs === null ? '' : `: ${missing.needs}`}.{' '}
            <button type="button" className="link" onClick={() => connect(providerOf(missing.name), 'key')}>
              Connect it
            </button>{' '}
            or{' '}
            <a className="link" href={hashOf({ page: 'models', key: null })}>
              see all models
            </a>
            .
          </span>
        </p>
      )}
      {lists?.usual === 'demo' && <ConnectCard />}
      {asked.length > 0 && asked.every(name => name === 'demo') && <Tricks />}
    </section>
  )
}

function Tricks(): React.ReactNode {
  const { write, send } = useActions()
  return (
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
  )
}
