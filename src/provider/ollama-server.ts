import type { ProviderSetting } from '../model/provider.ts'

const PATIENCE_MS = 500

/** The models an Ollama has on this machine, or wherever the settings say; none where it does not run. */
export async function installedModels({ baseURL, headers = {} }: ProviderSetting): Promise<readonly string[]> {
  const { Ollama } = await import('ollama')
  const ask: typeof fetch = (url, init) => fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) })
  const client = new Ollama({ host: baseURL ?? 'http://127.0.0.1:11434', fetch: ask, headers: { ...headers } })
  try {
    const { models } = await client.list()
    return models.map(({ model, name }) => model ?? name).sort()
  } catch {
    return []
  }
}
