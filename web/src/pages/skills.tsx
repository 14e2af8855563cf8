// The page that lists skills and tools.
import { useLoaded } from '../parts/use-loaded.ts'
import { useWorkspaceApi } from '../store/use-store.ts'
import { together } from '../wire/together.ts'
import type { ListedSkills, SkillRow, ToolRow } from '../wire/workspace-api.ts'
import { approvalWords, skillModeWords, skillPriceWords, sourceWords } from '../words/skill-words.ts'
import { PageHead } from './page-head.tsx'
import { Read } from './read.tsx'
import { Snippet } from './snippet.tsx'

/** What voices are taught and may use; to be changed in the settings. */
export function SkillsPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded('skills', () => together({ skills: workspaceApi.skills(), tools: workspaceApi.tools() }))
  return (
    <>
      <PageHead intro="A skill teaches every voice something, and may bring tools. What is here is read from the workspace before each turn; this page only shows it." />
      <Read from={loaded} what="skills">
        {({ skills, tools }) => (
          <>
            <Skills skills={skills} />
            <Tools tools={tools.items} skills={skills.items} />
            <section className="page-part">
              <h2>What changes what</h2>
              <p className="page-note">
                These keys of <code>turnwise.json</code> decide. A changed skill counts from the next turn on; a changed setting
                from the next start.
              </p>
              <Snippet where="In turnwise.json" text={SETTINGS} />
            </section>
          </>
        )}
      </Read>
    </>
  )
}

const SETTINGS = `{
  "skills": {
    "contextMode": "auto",   // or "full", or "readOnDemand": only a list, and a tool that reads one
    "disabled": ["name"],    // skills that are left out
    "extraDirs": [],         // further folders with skills
    "allowScripts": false    // whether skills may bring scripts of their own
  },
  "tools": {
    "accept": ["git"],                      // programs that can run anything
    "approve": { "notes_create": "ask" }    // "auto", "ask" or "never"
  }
}`

function Skills({ skills }: { readonly skills: ListedSkills }): React.ReactNode {
  const { items, mode, disabled = [], directories = [], troubles = [] } = skills
  return (
    <section className="page-part">
      <h2>Skills</h2>
      {mode !== undefined && <p className="page-note">{skillModeWords(mode)}</p>}
      {troubles.length > 0 && (
        <ul className="troubles" aria-label="What is wrong">
          {troubles.map(trouble => (
            <li key={trouble}>{trouble}</li>
          ))}
        </ul>
      )}
      {items.length === 0 ? (
        <p className="empty">
          There are no skills. A skill is a folder <code>skills/&lt;name&gt;</code> with a <code>SKILL.md</code>.
        </p>
      ) : (
        <ul className="cards">
          {items.map(skill => (
            <SkillCard key={skill.name} skill={skill} mode={mode} />
          ))}
          {disabled.map(name => (
            <li key={name} className="card" data-off="true">
              <h3>{name}</h3>
              <p className="card-facts">
                <span className="chip">off</span>
                <span>named under skills.disabled</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {directories.length > 0 && (
        <p className="page-note">
          Read from{' '}
          {directories.map((directory, index) => (
            <span key={directory}>
              {index > 0 && ', '}
              <code>{directory}</code>
            </span>
          ))}
          .
        </p>
      )}
    </section>
  )
}

type SkillCardProps = { readonly skill: SkillRow; readonly mode: ListedSkills['mode'] }

function SkillCard({ skill, mode }: SkillCardProps): React.ReactNode {
  const { name, description, tools } = skill
  return (
    <li className="card">
      <h3>{name}</h3>
      <p className="card-about">{description}</p>
      <p className="card-facts">
        <span className="chip">on</span>
        <span>{skillPriceWords(skill, mode)}</span>
      </p>
      {tools.length > 0 && (
        <p className="card-facts">
          <span>Tools:</span>
          {tools.map(tool => (
            <code key={tool}>{tool}</code>
          ))}
        </p>
      )}
    </li>
  )
}

type ToolsProps = { readonly tools: readonly ToolRow[]; readonly skills: readonly SkillRow[] }

function Tools({ tools, skills }: ToolsProps): React.ReactNode {
  return (
    <section className="page-part">
      <h2>Tools</h2>
      <p className="page-note">
        What a skill’s tool runs stands in its <code>tools.json</code>; every call in a conversation shows its exact command.
      </p>
      {tools.length === 0 && <p className="empty">There are no tools.</p>}
      <ul className="rows">
        {tools.map(({ name, description, approval, parameters }) => (
          <li key={name} className="row-item">
            <div className="row-head">
              <h3>
                <code>{name}</code>
              </h3>
              <span className="chip" data-kind={approval}>
                {approvalWords(approval)}
              </span>
            </div>
            <p>{description}</p>
            <p className="page-note">{sourceWords(name, skills)}</p>
            <details className="fold">
              <summary>
                Parameters<span className="unseen"> of {name}</span>
              </summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll sideways can be reached by keyboard */}
              <pre tabIndex={0}>{JSON.stringify(parameters, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ul>
    </section>
  )
}
