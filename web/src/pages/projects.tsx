// The page that lists the projects.
import { useLoaded } from '../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../store/use-store.ts'
import { hashOf, NEW_KEY, sessionHash } from '../view/route.ts'
import type { ListedProject } from '../wire/workspace-api.ts'
import { formatCount } from '../words/words.ts'
import { PageHead } from './page-head.tsx'
import { Read } from './read.tsx'

/** Every project there is. */
export function ProjectsPage(): React.ReactNode {
  const projects = useLoaded('projects', useWorkspaceApi().projects)
  return (
    <>
      <PageHead intro="A project keeps conversations together and gives each of them the same context: the text of projects/<name>/CONTEXT.md, sent with every request.">
        <a className="button primary" href={hashOf({ page: 'projects', key: NEW_KEY })}>
          New project
        </a>
      </PageHead>
      <Read from={projects} what="projects">
        {({ items }) =>
          items.length === 0 ? (
            <p className="empty">There are no projects yet. Create one for work you come back to.</p>
          ) : (
            <ul className="cards">
              {items.map(project => (
                <ProjectCard key={project.name} project={project} />
              ))}
            </ul>
          )
        }
      </Read>
    </>
  )
}

function ProjectCard({ project: { name, tokens } }: { readonly project: ListedProject }): React.ReactNode {
  const { enter } = useActions()
  return (
    <li className="card">
      <div className="card-words">
        <h2>
          <a className="card-link" href={hashOf({ page: 'projects', key: name })}>
            {name}
          </a>
        </h2>
        <p className="card-facts">
          <span>{tokens === undefined ? 'no context yet' : `${formatCount(tokens)} tokens in every request`}</span>
        </p>
      </div>
      <div className="card-actions">
        <a className="text-button" href={sessionHash(null)} onClick={() => enter(name)}>
          Show its conversations<span className="unseen"> ({name})</span>
        </a>
      </div>
    </li>
  )
}
