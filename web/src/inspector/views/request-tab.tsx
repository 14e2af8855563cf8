// The exact request as it was sent.
import { useMemo } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import type { InspectedSent } from '../../wire/inspect-api.ts'
import { formatCount } from '../../words/words.ts'
import { bodyBytes, curlOf } from './curl.ts'

/** The exact request, as it went over the wire. */
export function RequestTab({ sent: { request, receipt, difference } }: { readonly sent: InspectedSent }): React.ReactNode {
  const shown = useMemo(
    () => (request === null ? null : { text: JSON.stringify(request.body, null, 2), bytes: bodyBytes(request.body) }),
    [request],
  )
  if (request === null || shown === null)
    return <p className="look-note">The request cannot be built again: {difference ?? 'what it was made of is not known'}</p>
  const curl = curlOf(request, receipt.inputs.wire)
  return (
    <section className="request" aria-label="The exact request">
      <div className="request-head">
        <p>
          <span className="request-url">{request.url}</span>
          <span className="request-size">
            {formatCount(shown.bytes)} bytes · {receipt.inputs.wire}
          </span>
        </p>
        <CopyButton text={shown.text} label="Copy the request" />
        {curl === null ? (
          <span className="request-size">This one goes nowhere, so there is no curl for it.</span>
        ) : (
          <CopyButton text={curl} label="Copy as curl, without the key" icon="command" />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keys */}
      <pre tabIndex={0} className="request-body">
        {shown.text}
      </pre>
      <p className="digest">{[receipt.id, receipt.digest].filter(text => text !== null).join(' · ')}</p>
    </section>
  )
}
