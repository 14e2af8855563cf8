// The page of models and providers.
import { useFrame } from '../../parts/frame.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceChanges } from '../../parts/use-workspace-lists.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { ModelsByProvider } from './models-by-provider.tsx'
import { ProviderItem } from './provider-row.tsx'

/** Providers with their state, then every model with its window, price and abilities. */
export function ModelsPage(): React.ReactNode {
  const { connect } = useFrame()
  const api = useWorkspaceApi()
  const models = useLoaded('models', api.models)
  const providers = useLoaded('providers', api.providers.list)
  useWorkspaceChanges(models.reload)
  useWorkspaceChanges(providers.reload)
  return (
    <>
      <PageHead intro="Models and providers. Connect a provider with a key or an address; its models can be used at once.">
        <button type="button" className="button primary" onClick={() => connect(null)}>
          Connect a provider
        </button>
      </PageHead>
      <section className="page-part">
        <h2>Providers</h2>
        <Read from={providers} what="providers">
          {({ items }) => (
            <ul className="provider-rows">
              {items.map(provider => (
                <ProviderItem key={provider.name} provider={provider} usual={models.value?.default ?? null} />
              ))}
            </ul>
          )}
        </Read>
      </section>
      <Read from={models} what="models">
        {value => <ModelsByProvider models={value} providers={providers.value?.items ?? []} onChanged={models.reload} />}
      </Read>
    </>
  )
}
