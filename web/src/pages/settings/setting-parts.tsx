// The sections of the settings page.
import type { Policy } from '../../../../src/model/settings/policy.ts'
import { useFrame } from '../../parts/frame.ts'
import { hashOf, type WorkspacePageName } from '../../view/route.ts'
import { windowWords } from '../../words/policy-words.ts'
import { DefaultModelSetting, NumberSetting, SelectSetting, SwitchSetting } from './setting-fields.tsx'
import type { SettingsEditing } from './use-settings.ts'

type PartProps = { readonly editing: SettingsEditing }

/** The settings that show beside themselves what is wrong with them. */
export const SHOWN_PATHS: readonly string[] = ['model', 'policy', 'titles', 'limits', 'resume', 'memory']

export function GeneralPart({ editing, policies }: PartProps & { readonly policies: readonly Policy[] }): React.ReactNode {
  const policy = policies.find(({ name }) => name === editing.at('policy')?.value)
  return (
    <section className="page-part" aria-labelledby="settings-general">
      <h2 id="settings-general">General</h2>
      <div className="form-pair">
        <DefaultModelSetting
          editing={editing}
          path="model"
          label="Default model"
          hint={
            <>
              Used when a chat or agent doesn’t choose a model. <PageAnchor page="models">Models and providers</PageAnchor>
            </>
          }
        />
        <SelectSetting
          editing={editing}
          path="policy"
          label="Default policy"
          options={policies.map(({ name }) => ({ value: name, label: name }))}
          hint={
            <>
              {policy === undefined ? 'What of a long chat is sent.' : windowWords(policy.window)}{' '}
              <PageAnchor page="policies">Policies</PageAnchor>
            </>
          }
        />
        <SwitchSetting
          editing={editing}
          path="titles.auto"
          label="Name chats automatically"
          on="On: one small request after the first answer"
          off="Off: chats are named after their first message"
        />
      </div>
    </section>
  )
}

export function LimitsPart({ editing }: PartProps): React.ReactNode {
  return (
    <section className="page-part" aria-labelledby="settings-limits">
      <h2 id="settings-limits">Limits and budgets</h2>
      <div className="form-pair">
        <NumberSetting
          editing={editing}
          path="limits.budgetUsdPerDay"
          label="Budget per day"
          empty="No limit"
          after="US dollars"
          hint="For all requests together; the day is UTC. A model without a known price cannot run under a budget."
        />
        <NumberSetting
          editing={editing}
          path="limits.budgetUsdPerRound"
          label="Budget per round"
          empty="No limit"
          after="US dollars"
          hint="For one round of a council, all advisors together."
        />
        <NumberSetting
          editing={editing}
          path="limits.steps"
          label="Steps per turn"
          hint="How often a model may call tools before it has to answer."
        />
        <NumberSetting
          editing={editing}
          path="limits.turnMs"
          label="Time per turn"
          unit="minutes"
          after="minutes"
          hint="Time spent waiting for you doesn’t count."
        />
        <NumberSetting
          editing={editing}
          path="limits.tokensPerTurn"
          label="Tokens per turn"
          hint="All requests and replies of a turn together. Cached tokens don’t count."
        />
        <NumberSetting
          editing={editing}
          path="limits.historyMs"
          label="History timeout"
          after="ms"
          hint="If loading the chat takes longer, the reply is written without earlier messages and says so."
        />
      </div>
    </section>
  )
}

export function RecoveryPart({ editing }: PartProps): React.ReactNode {
  return (
    <section className="page-part" aria-labelledby="settings-recovery">
      <h2 id="settings-recovery">Recovery</h2>
      <div className="form-pair">
        <SelectSetting
          editing={editing}
          path="resume.mode"
          label="After a crash or lost connection"
          options={[
            { value: 'auto', label: 'Continue answers automatically' },
            { value: 'ask', label: 'Ask me first' },
          ]}
          hint="What happens to answers that a restart or a lost connection left unfinished."
        />
        <NumberSetting
          editing={editing}
          path="resume.withinMinutes"
          label="Continue within"
          after="minutes"
          hint="Older ones wait for you."
        />
        <NumberSetting
          editing={editing}
          path="resume.continuations"
          label="Automatic continuations"
          hint="How often one answer that was cut off is continued automatically."
        />
      </div>
    </section>
  )
}

export function MemoryPart({ editing }: PartProps): React.ReactNode {
  return (
    <section className="page-part" aria-labelledby="settings-memory">
      <h2 id="settings-memory">Memory</h2>
      <div className="form-pair">
        <SelectSetting
          editing={editing}
          path="memory.from"
          label="Recall earlier messages from"
          options={[
            { value: 'session', label: 'This chat' },
            { value: 'project', label: 'Chats in the same project' },
            { value: 'everywhere', label: 'All chats' },
          ]}
          hint={
            <>
              Private chats and those of councils are never quoted elsewhere. <PageAnchor page="memory">Memory</PageAnchor>
            </>
          }
        />
      </div>
    </section>
  )
}

const ELSEWHERE: readonly (readonly [WorkspacePageName, string, string])[] = [
  ['models', 'Models and providers', 'keys, addresses, model windows'],
  ['policies', 'Policies', 'what of a long chat is sent'],
  ['skills', 'Skills and tools', 'what is on, and what asks first'],
  ['mcp', 'MCP servers', 'tools, resources and prompts of other programs'],
]

/** What is set on other pages, and in this browser alone. */
export function MorePart(): React.ReactNode {
  const { show } = useFrame()
  return (
    <section className="page-part" aria-labelledby="settings-more">
      <h2 id="settings-more">More settings</h2>
      <ul className="settings-links">
        {ELSEWHERE.map(([page, words, about]) => (
          <li key={page}>
            <PageAnchor page={page}>{words}</PageAnchor>
            <span className="faint">{about}</span>
          </li>
        ))}
        <li>
          <button type="button" className="link" onClick={() => show('preferences')}>
            Preferences
          </button>
          <span className="faint">theme, text size, keys; saved in this browser</span>
        </li>
      </ul>
    </section>
  )
}

type AnchorProps = { readonly page: WorkspacePageName; readonly children: React.ReactNode }

const PageAnchor = ({ page, children }: AnchorProps): React.ReactNode => (
  <a className="link" href={hashOf({ page, key: null })}>
    {children}
  </a>
)
