// Takes files that are dropped on the conversation.
import { useEffect, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'

/** Files may be dropped anywhere on the conversation; while they hover, the page says so. */
export function DropArea({ onDrop }: { readonly onDrop: (files: Iterable<File>) => void }): React.ReactNode {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      // Between two elements the pointer leaves one for another; only out of the window it goes nowhere.
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      onDrop(event.dataTransfer?.files ?? [])
    }
    addEventListener('dragenter', over)
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragenter', over)
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [onDrop])
  if (!isOver) return null
  return (
    <div className="drop-area" aria-hidden="true">
      <p>
        <Icon name="clip" />
        Drop files to attach them
      </p>
    </div>
  )
}
