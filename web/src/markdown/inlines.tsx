// Draws the parts of a line: text, emphasis, links, code, formulas.
import { Formula } from './math/formula.tsx'
import type { MarkdownInline } from './tree.ts'

/** Draws the nodes of one line. A break is drawn as its character, and every leaf keeps its white space. */
export function Inlines({ inlines }: { readonly inlines: readonly MarkdownInline[] }): React.ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: what a text has become is replaced as a whole, in order
  return inlines.map((inline, index) => <One key={index} inline={inline} />)
}

function One({ inline }: { readonly inline: MarkdownInline }): React.ReactNode {
  switch (inline.type) {
    case 'text':
      return inline.text
    case 'break':
      return '\n'
    case 'strong':
      return (
        <strong>
          <Inlines inlines={inline.inlines} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <Inlines inlines={inline.inlines} />
        </em>
      )
    case 'struck':
      return (
        <del>
          <Inlines inlines={inline.inlines} />
        </del>
      )
    case 'code':
      return <code>{inline.text}</code>
    case 'formula':
      return <Formula formula={inline} />
    case 'link':
      return (
        <Outward href={inline.href} host={inline.host}>
          <Inlines inlines={inline.inlines} />
        </Outward>
      )
    case 'image':
      return (
        <Outward href={inline.href} host={inline.host} image>
          {inline.alt === '' ? 'Image' : `Image: ${inline.alt}`}
        </Outward>
      )
  }
}

type OutwardProps = {
  readonly href: string
  readonly host: string | null
  readonly image?: boolean
  readonly children: React.ReactNode
}

/** A link out of the page. Its text cannot change the writing direction of the text beside it. */
const Outward = ({ href, host, image = false, children }: OutwardProps): React.ReactNode => (
  <>
    <a
      className={image ? 'outward image-chip' : 'outward'}
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      <bdi>{children}</bdi>
    </a>
    {host !== null && <bdi className="real-host"> ({host})</bdi>}
  </>
)
