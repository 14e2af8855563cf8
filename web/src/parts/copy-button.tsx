// A button that copies a text.
import { useEffect, useState } from 'react'
import { copy } from './copy.ts'
import { Icon, type IconName } from './icon.tsx'

const SHOWN_MS = 1600

type CopyButtonProps = { readonly text: string; readonly label?: string; readonly icon?: IconName }

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, label = 'Copy this reply', icon = 'copy' }: CopyButtonProps): React.ReactNode {
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
      aria-label={copied ? 'Copied' : label}
      title={copied ? 'Copied' : label}
      onClick={() => copy(text).then(setCopied).catch(reportError)}
    >
      <Icon name={copied ? 'check' : icon} />
    </button>
  )
}
