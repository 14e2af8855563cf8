// Picks the page for an address.
import { useEffect, useRef } from 'react'
import { NEW_KEY, type PageRoute } from '../view/route.ts'
import { pageTitle } from '../words/words.ts'
import { AgentPage } from './agents/agent.tsx'
import { AgentsPage } from './agents/agents.tsx'
import { CouncilPage } from './councils/council-page.tsx'
import { CouncilsPage } from './councils/councils-page.tsx'
import { McpPage } from './mcp/mcp-page.tsx'
import { MemoryPage } from './memory/memory.tsx'
import { ModelsPage } from './models/models-page.tsx'
import { PoliciesPage } from './policies/policies-page.tsx'
import { PolicyPage } from './policies/policy-page.tsx'
import { ProjectPage } from './project.tsx'
import { ProjectsPage } from './projects.tsx'
import { SettingsPage } from './settings/settings-page.tsx'
import { SkillsPage } from './skills/skills-page.tsx'
import { UsagePage } from './usage/usage.tsx'

type WorkspaceRoute = Exclude<PageRoute, { readonly page: 'chat' }>

/** Which page an address means; another one is read from its beginning. */
export function WorkspacePage({ route }: { readonly route: WorkspaceRoute }): React.ReactNode {
  const box = useRef<HTMLElement>(null)
  const { page, key } = route
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is read from its beginning
  useEffect(() => {
    box.current?.scrollTo(0, 0)
    // The link that led here may be gone with its page; the keyboard then continues from the start of this one.
    if (!isFirst.current && document.activeElement === document.body) box.current?.focus()
    isFirst.current = false
  }, [page, key])
  return (
    <section ref={box} className="workspace-page" aria-label={pageTitle(page)} tabIndex={-1}>
      <div className="workspace-page-inner">{pageOf(route)}</div>
    </section>
  )
}

/** What is still to be made is another page than anything that is there. */
function pageOf({ page, key }: WorkspaceRoute): React.ReactNode {
  switch (page) {
    case 'agents':
      return key === null ? <AgentsPage /> : <AgentPage key={key} agent={key === NEW_KEY ? null : key} />
    case 'councils':
      return key === null ? <CouncilsPage /> : <CouncilPage key={key} council={key === NEW_KEY ? null : key} />
    case 'skills':
      return <SkillsPage />
    case 'policies':
      return key === null ? <PoliciesPage /> : <PolicyPage key={key} name={key} />
    case 'memory':
      return <MemoryPage />
    case 'models':
      return <ModelsPage />
    case 'mcp':
      return <McpPage />
    case 'settings':
      return <SettingsPage />
    case 'usage':
      return <UsagePage />
    case 'projects':
      return key === null ? <ProjectsPage /> : <ProjectPage key={key} name={key === NEW_KEY ? null : key} />
  }
}
