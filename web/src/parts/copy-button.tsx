import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

const SHOWN_MS = 1600

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text }: { readonly text: string }): React.ReactNode {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  // Browsers offer the clipboard only to pages from this machine or over https.
  if (navigator.clipboard === undefined) return null
  return (
    <button
      type="button"
      className="small-button"
      aria-label={copied ? 'Copied' : 'Copy this reply'}
      title={copied ? 'Copied' : 'Copy'}
      onClick={() =>
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => {},
        )
      }
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  )
}
