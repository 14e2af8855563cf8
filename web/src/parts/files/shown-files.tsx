// Draws the images and files that came with a message or a result.
import { useEffect, useState } from 'react'
import { useActions, useStore } from '../../store/use-store.ts'
import type { FileChip } from '../../view/view.ts'
import { useModal } from '../use-modal.ts'

/** What came with a message or a result: pictures to look at, other files by their names. */
export function ShownFiles({ files }: { readonly files: readonly FileChip[] }): React.ReactNode {
  return (
    <ul className="attached" aria-label="Files">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files never change, and two may have one name
        <li key={index}>
          {file.kind === 'image' && file.hash !== undefined ? <Picture file={file} hash={file.hash} /> : <Chip file={file} />}
        </li>
      ))}
    </ul>
  )
}

/** A text file is read here; of any other only the name is shown. */
function Chip({ file: { kind, name, text } }: { readonly file: FileChip }): React.ReactNode {
  const [isOpen, setOpen] = useState(false)
  const words = (
    <>
      <span className="chip-kind">{kind === 'image' ? 'Image' : 'File'}</span> {name}
    </>
  )
  if (text === undefined) return <span className="file-chip">{words}</span>
  return (
    <>
      <button type="button" className="file-chip" onClick={() => setOpen(true)}>
        {words}
      </button>
      {isOpen && (
        <Look name={name} onClose={() => setOpen(false)}>
          <pre className="look-text">{text}</pre>
        </Look>
      )}
    </>
  )
}

function Picture({ file, hash }: { readonly file: FileChip; readonly hash: string }): React.ReactNode {
  const address = usePicture(hash)
  const [isOpen, setOpen] = useState(false)
  if (address === null) return <Chip file={file} />
  return (
    <>
      <button type="button" className="thumbnail" aria-label={`Image ${file.name}, larger`} onClick={() => setOpen(true)}>
        {address !== '' && <img src={address} alt="" />}
      </button>
      {isOpen && address !== '' && (
        <Look name={file.name} onClose={() => setOpen(false)}>
          <img className="look-picture" src={address} alt={file.name} />
        </Look>
      )}
    </>
  )
}

/** An address of the picture within this page: empty until it is there, null where it cannot be had. */
function usePicture(hash: string): string | null {
  const { file } = useActions()
  const session = useStore(state => state.session)
  const [address, setAddress] = useState<string | null>('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file belongs to its session
  useEffect(() => {
    let made: string | null = null
    let isWanted = true
    file(hash)
      .then(blob => {
        if (!isWanted) return
        made = blob === null ? null : URL.createObjectURL(blob)
        setAddress(made)
      })
      .catch(reportError)
    return () => {
      isWanted = false
      if (made !== null) URL.revokeObjectURL(made)
    }
  }, [hash, session, file])
  return address
}

type LookProps = { readonly name: string; readonly onClose: () => void; readonly children: React.ReactNode }

function Look({ name, onClose, children }: LookProps): React.ReactNode {
  const dialog = useModal()
  return (
    <dialog className="dialog look" ref={dialog} aria-label={name} onClose={onClose}>
      <p className="look-head">
        <strong>{name}</strong>
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
      {children}
    </dialog>
  )
}
