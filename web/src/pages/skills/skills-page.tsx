// The page with skills, tools and their rules.
import { ProblemBox } from '../../form/problem-box.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { together } from '../../wire/together.ts'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { useSettings } from '../settings/use-settings.ts'
import { SkillList } from './skill-list.tsx'
import { ToolList } from './tool-list.tsx'
import { ToolRulesPart } from './tool-rules.tsx'

/** What assistants are taught and may use. */
export function SkillsPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded('skills', () => together({ skills: workspaceApi.skills(), tools: workspaceApi.tools() }))
  const settings = useSettings(loaded.reload)
  return (
    <>
      <PageHead intro="A skill teaches every assistant something, and may bring tools. Changes apply with the next message." />
      <Read from={settings.loaded} what="settings">
        {tree => {
          const editing = settings.editingOf(tree)
          return (
            <Read from={loaded} what="skills">
              {({ skills, tools }) => (
                <>
                  <p className="unseen" role="status">
                    {editing.isSaving ? 'Saving …' : editing.isSaved ? 'Saved' : ''}
                  </p>
                  {editing.problem !== null && <ProblemBox problem={editing.problem} />}
                  <SkillList skills={skills} editing={editing} />
                  <ToolRulesPart editing={editing} tools={tools.items} />
                  <ToolList tools={tools.items} skills={skills.items} editing={editing} />
                </>
              )}
            </Read>
          )
        }}
      </Read>
    </>
  )
}
