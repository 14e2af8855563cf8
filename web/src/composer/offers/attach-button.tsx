// The button that attaches files, and resources where a connected server has some.
import { useRef, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu/menu.tsx'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { type ServerResource, serversWith } from './offered.ts'
import { ResourcePicker } from './resource-picker.tsx'

type AttachButtonProps = {
  readonly onFiles: (files: Iterable<File>) => void
  readonly onResource: (resource: ServerResource) => void
}

/** Browsers open the dialog for files only soon after the press, so the servers are not waited for longer. */
const ANSWER_MS = 600

/** Where no server has a resource, the dialog for files opens at once. */
export function AttachButton({ onFiles, onResource }: AttachButtonProps): React.ReactNode {
  const { mcp } = useWorkspaceApi()
  const button = useRef<HTMLButtonElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const isAsking = useRef(false)
  const [servers, setServers] = useState<readonly string[]>([])
  const [open, setOpen] = useState<'menu' | 'resources' | null>(null)
  const press = async (): Promise<void> => {
    if (open === 'menu') return setOpen(null)
    if (isAsking.current) return
    isAsking.current = true
    const found = await Promise.race([
      serversWith(mcp, 'resources'),
      new Promise<readonly string[]>(resolve => setTimeout(resolve, ANSWER_MS, [])),
    ])
    isAsking.current = false
    setServers(found)
    if (found.length === 0) picker.current?.click()
    else setOpen('menu')
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="composer-tool"
        aria-label="Attach files"
        title="Attach files"
        aria-haspopup={servers.length === 0 ? undefined : 'menu'}
        aria-expanded={servers.length === 0 ? undefined : open === 'menu'}
        onClick={() => press().catch(reportError)}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={event => {
          onFiles(Array.from(event.target.files ?? []))
          // The same file may be chosen once more.
          event.target.value = ''
        }}
      />
      {open === 'menu' && button.current !== null && (
        <Menu
          label="Attach"
          opener={button.current}
          items={[
            { words: 'Files from this device …', icon: 'file', run: () => picker.current?.click() },
            { words: 'From a connected server …', icon: 'plug', run: () => setOpen('resources') },
          ]}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'resources' && button.current !== null && (
        <ResourcePicker button={button.current} servers={servers} onPick={onResource} onClose={() => setOpen(null)} />
      )}
    </>
  )
}
