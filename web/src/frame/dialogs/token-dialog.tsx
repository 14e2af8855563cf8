// Asks for the gateway's token.
import { useEffect, useId, useState } from 'react'
import { useModal } from '../../parts/use-modal.ts'
import { useActions } from '../../store/use-store.ts'
import type { TokenStore } from '../../wire/token.ts'

/** Asks for the gateway's token when it wants one. */
export function TokenDialog({ tokens }: { readonly tokens: TokenStore }): React.ReactNode {
  const { unlock } = useActions()
  const dialog = useModal()
  const heading = useId()
  const [token, setToken] = useState('')
  const [remember, setRemember] = useState(false)
  const refused = tokens.read() !== null
  // After the token is accepted the person begins to write.
  useEffect(() => () => document.getElementById('message')?.focus({ preventScroll: true }), [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={heading} onClose={event => event.currentTarget.showModal()}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (token.trim() === '') return
          tokens.write(token.trim(), remember)
          unlock().catch(reportError)
        }}
      >
        <h2 id={heading}>This gateway asks for its token</h2>
        <p>It is the value of “gateway.token” in turnwise.json, or of TURNWISE_TOKEN, where the gateway runs.</p>
        {refused && (
          <p className="fault" role="alert">
            The token this page has was not accepted.
          </p>
        )}
        <label className="field">
          Token
          <input
            type="password"
            value={token}
            autoComplete="current-password"
            required
            onChange={event => setToken(event.target.value)}
          />
        </label>
        <label className="check">
          <input type="checkbox" checked={remember} onChange={event => setRemember(event.target.checked)} />
          Remember it in this browser
        </label>
        <div className="dialog-actions">
          <button type="submit" className="button primary">
            Unlock
          </button>
        </div>
      </form>
    </dialog>
  )
}
