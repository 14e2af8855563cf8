// Chooses model, policy and thinking for a session.
import { ModelPickerButton } from '../../model-picker/model-picker.tsx'
import { Icon } from '../../parts/icon.tsx'
import { modelsAsked, type WorkspaceLists } from '../../parts/use-workspace-lists.ts'
import { useActions, useStore } from '../../store/use-store.ts'
import { usePopover } from '../use-popover.ts'
import { TuneSampling } from './tune-sampling.tsx'

/** Model, policy and thinking: shows the current choice, and opens to change it. */
export function Tune({ lists }: { readonly lists: WorkspaceLists }): React.ReactNode {
  const { arrange } = useActions()
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const wish = useStore(state => state.wish)
  const whom = useStore(state => state.whom)
  const councils = useStore(state => state.councils)
  const { button, panel, state, pin, close } = usePopover('left')

  const isCouncil = session === null ? whom !== null && 'council' in whom : about?.council != null
  const asked = [...new Set(modelsAsked(lists, { session, about, councils, whom, wish }))]
  const own = modelsAsked(lists, { session, about: about === null ? null : { ...about, model: null }, councils, whom, wish: {} })
  const agent = lists.agents.find(
    ({ key }) =>
      key === (session === null ? (whom !== null && 'agent' in whom ? whom.agent : lists.agents[0]?.key) : about?.agent),
  )
  const policy = session === null ? (wish.policy ?? (isCouncil ? 'council' : (agent?.policy ?? ''))) : (about?.policy ?? '')
  const words = [asked.length === 1 ? (asked[0] ?? '') : `${asked.length} models`, policy].filter(word => word !== '').join(' · ')
  return (
    <>
      <button
        type="button"
        ref={button}
        className="pick tune"
        aria-label={`Model and policy: ${words}`}
        aria-expanded={state !== 'closed'}
        aria-haspopup="dialog"
        title="Model and policy of this conversation"
        onClick={() => (state === 'closed' ? pin() : close())}
      >
        <Icon name="sliders" />
        <span className="tune-words">{words}</span>
      </button>
      <div className="tune-panel" ref={panel} popover="manual" role="dialog" aria-label="Model and policy of this conversation">
        {state !== 'closed' && (
          <>
            {isCouncil ? (
              <p className="tune-note">Each advisor has a model of its own; its council says which.</p>
            ) : (
              <div className="tune-field">
                <label htmlFor="tune-model">Model</label>
                <ModelPickerButton
                  label="Model"
                  isFocused
                  bound={{ id: 'tune-model' }}
                  value={(session === null ? wish.model : about?.model) ?? ''}
                  allowDefault={`Agent’s default (${own[0]})`}
                  onChange={model => arrange({ model: model === '' ? null : model }).catch(reportError)}
                />
              </div>
            )}
            <label className="tune-field">
              Policy: what is sent of the past
              <select value={policy} onChange={event => arrange({ policy: event.target.value }).catch(reportError)}>
                {policy === '' && <option value="">Default</option>}
                {lists.policies.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <label className="tune-field">
              Thinking
              <select
                value={String((session === null ? wish.thinking : about?.thinking) ?? '')}
                onChange={event => arrange({ thinking: THINKING[event.target.value] ?? null }).catch(reportError)}
              >
                <option value="">{isCouncil ? 'Advisor’s default' : 'Agent’s default'}</option>
                <option value="true">Think first, where the model can</option>
                <option value="false">Answer at once</option>
              </select>
            </label>
            <TuneSampling
              settings={(session === null ? wish : about) ?? {}}
              isCouncil={isCouncil}
              onChange={changes => arrange(changes).catch(reportError)}
            />
          </>
        )}
      </div>
    </>
  )
}

const THINKING: Readonly<Record<string, boolean>> = { true: true, false: false }
