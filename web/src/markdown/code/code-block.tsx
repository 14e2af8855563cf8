// Draws a block of code with its copy and wrap buttons.
import { useMemo, useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import { lazily, useLazily } from '../use-lazily.ts'
import { languageOf } from './languages.ts'
import { colouredLength, type Shade } from './shades.ts'

const highlighter = lazily(() => import('./highlight.ts').then(({ highlight }) => highlight))

/** Invisible characters that reorder others; in code they hide what it does. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/

type CodeBlockProps = { readonly language: string; readonly text: string; readonly growing: boolean }

/** Code to read, to copy, and to fold at the edge or scroll. */
export function CodeBlock({ language, text, growing }: CodeBlockProps): React.ReactNode {
  const [wraps, setWraps] = useState(false)
  const { name, title } = languageOf(language)
  return (
    <figure className="code-block" dir="ltr">
      <figcaption className="code-head">
        <span className="code-language">{title}</span>
        <button
          type="button"
          className="small-button"
          aria-pressed={wraps}
          aria-label="Wrap long lines"
          title="Wrap long lines"
          onClick={() => setWraps(!wraps)}
        >
          <Icon name="wrap" />
        </button>
        <CopyButton text={text} label="Copy this code" />
      </figcaption>
      {TURNS.test(text) && (
        <p className="code-note">Marks in this code turn the direction of writing: it may not be what it looks like.</p>
      )}
      <ScrollBox label={title === 'Code' ? 'Code' : `Code in ${title}`} className="code-box">
        <pre data-wraps={wraps}>
          <code>
            <Coloured name={name} text={text} growing={growing} />
          </code>
        </pre>
      </ScrollBox>
    </figure>
  )
}

type ColouredProps = { readonly name: string | null; readonly text: string; readonly growing: boolean }

function Coloured({ name, text, growing }: ColouredProps): React.ReactNode {
  const length = name === null ? 0 : colouredLength(text, growing)
  const highlight = useLazily(highlighter, length > 0)
  const coloured = text.slice(0, length)
  const shades = useMemo(() => {
    if (highlight === null || name === null || coloured === '') return null
    return highlight(name, coloured)
  }, [highlight, name, coloured])
  if (shades === null) return text
  return (
    <>
      <Shades shades={shades} />
      {text.slice(length)}
    </>
  )
}

const Shades = ({ shades }: { readonly shades: readonly Shade[] }): React.ReactNode =>
  shades.map(({ className, children }, index) => {
    if (typeof children === 'string') return children
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the colors of a code are replaced as a whole, in order
      <span key={index} className={className ?? undefined}>
        <Shades shades={children} />
      </span>
    )
  })
