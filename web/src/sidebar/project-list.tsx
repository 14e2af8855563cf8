// Chooses which sessions are listed: all, a project, or archived.
import { Icon, type IconName } from '../parts/icon.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import { hashOf } from '../view/route.ts'

/** Which conversations are listed: all, those of one project, or those put away. A new one belongs to the project one is in. */
export function ProjectList({ onOpen }: { readonly onOpen: () => void }): React.ReactNode {
  const { enter, showArchived } = useActions()
  const projects = useStore(state => state.projects)
  const project = useStore(state => state.project)
  const archived = useStore(state => state.archived)
  const isFiltered = project !== null || archived
  return (
    <section aria-label="Lists">
      <Choice icon="chats" words="All conversations" chosen={!isFiltered} onChoose={() => enter(null)} />
      <Choice icon="archive" words="Archived" chosen={archived} onChoose={() => showArchived(!archived)} />
      <h2 className="group">
        Projects
        <a className="small-button" href={hashOf({ page: 'projects', key: null })} title="Manage projects" onClick={onOpen}>
          <Icon name="plus" />
          <span className="unseen">Manage projects</span>
        </a>
      </h2>
      {projects.map(name => (
        <Choice key={name} icon="folder" words={name} chosen={!archived && name === project} onChoose={() => enter(name)} />
      ))}
    </section>
  )
}

type ChoiceProps = {
  readonly icon: IconName
  readonly words: string
  readonly chosen: boolean
  readonly onChoose: () => void
}

function Choice({ icon, words, chosen, onChoose }: ChoiceProps): React.ReactNode {
  return (
    <button type="button" className="list-choice" aria-pressed={chosen} onClick={onChoose}>
      <Icon name={icon} />
      <span className="list-choice-words">{words}</span>
    </button>
  )
}
