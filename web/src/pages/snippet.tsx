// A text to copy, and where it goes.
import { CopyButton } from '../parts/copy-button.tsx'

type SnippetProps = { readonly where: string; readonly text: string }

/** Something to copy, and where it goes. */
export function Snippet({ where, text }: SnippetProps): React.ReactNode {
  return (
    <figure className="snippet">
      <figcaption>
        {where}
        <CopyButton text={text} label={`Copy: ${where.toLowerCase()}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll sideways can be reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
