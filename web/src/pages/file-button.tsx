// A button that asks for a file.
import { useRef } from 'react'

type FileButtonProps = { readonly label: string; readonly accept: string; readonly onFile: (file: File) => void }

/** A button that asks for one file. */
export function FileButton({ label, accept, onFile }: FileButtonProps): React.ReactNode {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={field}
        type="file"
        accept={accept}
        hidden
        aria-label={label}
        onChange={event => {
          const [file] = event.target.files ?? []
          // The same file may be chosen again, once it was mended.
          event.target.value = ''
          if (file !== undefined) onFile(file)
        }}
      />
      <button type="button" className="button" onClick={() => field.current?.click()}>
        {label}
      </button>
    </>
  )
}
