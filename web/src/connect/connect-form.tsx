// Asks for the key and the address of a provider, and has them checked.
import { useEffect, useRef, useState } from 'react'
import type { ConnectedProvider } from '../../../src/model/connectable-providers.ts'
import { FormField } from '../form/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { useActions, useWorkspaceApi } from '../store/use-store.ts'
import { environmentKeyWords, providerMessageWords, shortAddress } from '../words/provider-words.ts'
import { type ConnectFieldName, type ConnectTrouble, connectStep, refusalOf } from './change.ts'
import { type ConnectTarget, OTHER_SERVER } from './targets.ts'

type ConnectFormProps = {
  readonly target: ConnectTarget
  readonly onBack: () => void
  readonly onChecked: (provider: ConnectedProvider) => void
}

/** The key is only in its field: it is not kept anywhere on the page, and the field goes away with the dialog. */
export function ConnectForm({ target, onBack, onChecked }: ConnectFormProps): React.ReactNode {
  const { providers } = useWorkspaceApi()
  const { workspaceChanged } = useActions()
  const { provider, hasOwnAddress, needsKey } = target
  const form = useRef<HTMLFormElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<ConnectTrouble | null>(() => troubleOf(provider, hasOwnAddress))
  const isOther = target.name === OTHER_SERVER
  const isFromEnvironment = provider?.keyFrom === 'environment'
  const field = (name: ConnectFieldName): HTMLInputElement | null => {
    const found = form.current?.elements.namedItem(name)
    return found instanceof HTMLInputElement ? found : null
  }
  const focus = (name: ConnectFieldName): void => {
    const input = field(name) ?? field('key') ?? field('address')
    const fold = input?.closest('details')
    if (fold != null) fold.open = true
    input?.focus()
    input?.select()
  }
  const complain = (found: ConnectTrouble): void => {
    setTrouble(found)
    focus(found.field)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => focus(isOther ? 'name' : needsKey ? 'key' : 'address'), [])

  const submit = async (): Promise<void> => {
    const read = (name: ConnectFieldName): string => field(name)?.value ?? ''
    const step = connectStep(target, { name: read('name'), address: read('address'), key: read('key') })
    if (step.kind === 'wrong') return complain({ field: step.field, words: step.why })
    setBusy(true)
    setTrouble(null)
    const outcome = await (step.kind === 'check' ? providers.check(step.name) : providers.connect(step.name, step.change))
    setBusy(false)
    if (!outcome.ok) return complain(refusalOf(outcome.problem, needsKey))
    workspaceChanged()
    const key = field('key')
    if (key !== null && outcome.value.state === 'ready') key.value = ''
    onChecked(outcome.value)
    const found = troubleOf(outcome.value, hasOwnAddress)
    if (found !== null) complain(found)
  }

  return (
    <form
      ref={form}
      className="connect-form"
      autoComplete="off"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (!isBusy) submit().catch(reportError)
      }}
    >
      {isFromEnvironment && <p className="connect-note">{provider === null ? '' : environmentKeyWords(provider)}</p>}
      {isOther && (
        <FormField label="Name" hint="Lowercase letters, digits and dashes. Its models are named after it.">
          {bound => <input {...bound} name="name" className="form-control" data-code="true" maxLength={40} spellCheck={false} />}
        </FormField>
      )}
      {hasOwnAddress && <AddressField target={target} />}
      {!isFromEnvironment && needsKey && <KeyField target={target} />}
      {trouble !== null && (
        <p className="connect-trouble" role="alert">
          <Icon name="alert" />
          <span>{trouble.words}</span>
        </p>
      )}
      {target.name === 'ollama' && trouble !== null && (
        <p className="connect-note">
          Start it with <code>ollama serve</code>, then check again.
        </p>
      )}
      {!isFromEnvironment && (!hasOwnAddress || (!needsKey && target.name !== 'ollama')) && (
        <details className="connect-more">
          <summary>{hasOwnAddress ? 'This server needs a key' : 'Use another address'}</summary>
          {hasOwnAddress ? (
            <>
              <KeyField target={target} />
              <KeyNote />
            </>
          ) : (
            <AddressField target={target} />
          )}
        </details>
      )}
      {!isFromEnvironment && needsKey && <KeyNote />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onBack}>
          Back
        </button>
        <button type="submit" className="button primary" aria-disabled={isBusy}>
          {isBusy ? 'Checking …' : isFromEnvironment || target.name === 'ollama' ? 'Check again' : 'Connect'}
        </button>
      </div>
    </form>
  )
}

const KeyNote = (): React.ReactNode => (
  <p className="connect-safe">
    The key is saved on the gateway in secrets.json, which only its owner can read, and is never shown again.
  </p>
)

function AddressField({ target }: { readonly target: ConnectTarget }): React.ReactNode {
  const hint = target.name === OTHER_SERVER ? 'Include the API path, for example http://192.168.1.20:8000/v1' : undefined
  return (
    <FormField label="Address" {...(hint === undefined ? {} : { hint })}>
      {bound => (
        <input
          {...bound}
          name="address"
          type="url"
          className="form-control"
          data-code="true"
          defaultValue={target.baseURL}
          maxLength={500}
          spellCheck={false}
        />
      )}
    </FormField>
  )
}

/** Not controlled, so that the key is in no state and in no attribute. */
function KeyField({ target: { provider, keyPage } }: { readonly target: ConnectTarget }): React.ReactNode {
  return (
    <FormField
      label="Key"
      {...(keyPage === null
        ? {}
        : {
            hint: (
              <>
                Get a key at{' '}
                <a className="link" href={keyPage} target="_blank" rel="noreferrer">
                  {shortAddress(keyPage)}
                </a>
              </>
            ),
          })}
    >
      {bound => (
        <input
          {...bound}
          name="key"
          type="password"
          className="form-control"
          data-code="true"
          autoComplete="off"
          data-1p-ignore="true"
          data-lpignore="true"
          maxLength={2000}
          spellCheck={false}
          placeholder={provider?.last4 == null ? 'Paste the key' : `Saved; it ends in ${provider.last4}`}
        />
      )}
    </FormField>
  )
}

/** What a check found, and where to look for the mistake. */
function troubleOf(provider: ConnectedProvider | null, hasOwnAddress: boolean): ConnectTrouble | null {
  if (provider === null) return null
  const { state, title } = provider
  const message = providerMessageWords(provider)
  if (state === 'bad-key') return { field: 'key', words: message ?? `${title} did not accept the key.` }
  if (state === 'unreachable')
    return { field: hasOwnAddress ? 'address' : 'key', words: message ?? `${title} could not be reached.` }
  return null
}
