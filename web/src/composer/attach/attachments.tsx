// Shows the files that go with the message being written.
import { useEffect, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { type DraftFile, draftFileText, sizeWords } from '../../store/message/attachments.ts'
import { useActions, useStore } from '../../store/use-store.ts'

/** What goes with the message that is being written. */
export function Attachments({ onLeave }: { readonly onLeave: () => void }): React.ReactNode {
  const files = useStore(state => state.files)
  if (files.length === 0) return null
  return (
    <ul className="draft-files" aria-label="Attached files">
      {files.map(file => (
        <FileChip key={file.id} file={file} onLeave={onLeave} />
      ))}
    </ul>
  )
}

function FileChip({ file, onLeave }: { readonly file: DraftFile; readonly onLeave: () => void }): React.ReactNode {
  const { get, write, detach, announce } = useActions()
  const leave = (words: string): void => {
    detach(file.id)
    announce(words)
    onLeave()
  }
  const intoText = (): void => {
    const { draft } = get()
    write(draft === '' ? draftFileText(file) : `${draft}\n${draftFileText(file)}`)
    leave(`${file.name} is in the text now`)
  }
  return (
    <li className="draft-file">
      {file.kind === 'image' ? (
        <Thumbnail file={file} />
      ) : (
        <span className="draft-kind" aria-hidden="true">
          <Icon name="file" />
        </span>
      )}
      <span className="draft-words">
        <span className="draft-name" title={file.name}>
          {file.name}
        </span>
        <span className="draft-note">
          {sizeWords(file.bytes.length)}
          {file.note !== undefined && `, ${file.note}`}
        </span>
        {file.isPasted === true && (
          <button type="button" className="link draft-into" onClick={intoText}>
            Put it into the text instead
          </button>
        )}
      </span>
      <button
        type="button"
        className="small-button"
        aria-label={`Remove ${file.name}`}
        onClick={() => leave(`Removed ${file.name}`)}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

function Thumbnail({ file: { bytes, mediaType } }: { readonly file: DraftFile }): React.ReactNode {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([bytes], { type: mediaType }))
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [bytes, mediaType])
  return <img className="draft-picture" src={address} alt="" />
}
