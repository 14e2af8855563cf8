/** How the fake services other than Ollama list their models. */
import { type FakeAnswer, jsonAnswer } from '../fake-answer.ts'
import type { FakeFlavour, FakeWire } from '../fake-script.ts'
import { CREATED, CREATED_AT } from './dialect.ts'
import type { FakeModel } from './ollama-models.ts'

type Listing = { readonly wire: FakeWire; readonly flavour: FakeFlavour; readonly models: readonly FakeModel[] | undefined }

const USUAL: readonly FakeModel[] = [{ name: 'fake-large' }, { name: 'fake-small' }]

/** Answers `GET /v1/models`, and `GET /v1/key` as OpenRouter does. Null for any other request. */
export function listAnswer(method: string, path: string, { wire, flavour, models = USUAL }: Listing): FakeAnswer | null {
  if (method !== 'GET' || wire === 'ollama') return null
  const [place = '', query] = path.split('?')
  if (place === '/v1/key' && flavour === 'openrouter') return jsonAnswer({ data: KEY })
  if (place !== '/v1/models') return null
  if (wire === 'anthropic') return jsonAnswer(anthropicPage(models, new URLSearchParams(query)))
  if (flavour === 'openrouter') return jsonAnswer({ data: models.map(openrouterModel) })
  return jsonAnswer({ object: 'list', data: models.map(openaiModel) })
}

/** True where a request needs no key: OpenRouter's list is public. */
export const isPublicList = (path: string, { flavour }: Pick<Listing, 'flavour'>): boolean =>
  flavour === 'openrouter' && path.split('?')[0] === '/v1/models'

/** Pages as Anthropic's: 20 models each unless the request says otherwise, each page from behind `after_id`. */
function anthropicPage(models: readonly FakeModel[], query: URLSearchParams): object {
  const after = query.get('after_id')
  const rest = after === null ? models : models.slice(models.findIndex(({ name }) => name === after) + 1)
  const page = rest.slice(0, Number(query.get('limit') ?? 20))
  return {
    data: page.map(anthropicModel),
    has_more: page.length < rest.length,
    first_id: page[0]?.name ?? null,
    last_id: page.at(-1)?.name ?? null,
  }
}

const anthropicModel = ({ name, title = name, context = 200_000, output = 64_000, capabilities = [] }: FakeModel): object => ({
  type: 'model',
  id: name,
  display_name: title,
  created_at: CREATED_AT,
  max_input_tokens: context,
  max_tokens: output,
  capabilities: {
    image_input: { supported: capabilities.includes('vision') },
    thinking: { supported: capabilities.includes('thinking') },
  },
})

const openaiModel = ({ name }: FakeModel): object => ({ id: name, object: 'model', created: CREATED, owned_by: 'fake' })

const openrouterModel = ({
  name,
  title = name,
  context = 131_072,
  output = 16_384,
  price,
  capabilities = [],
}: FakeModel): object => ({
  id: name,
  name: title,
  created: CREATED,
  context_length: context,
  architecture: {
    modality: capabilities.includes('vision') ? 'text+image->text' : 'text->text',
    input_modalities: capabilities.includes('vision') ? ['text', 'image'] : ['text'],
    output_modalities: ['text'],
  },
  // Dollars for one token, as text.
  pricing: { prompt: perToken(price?.input), completion: perToken(price?.output) },
  top_provider: { context_length: context, max_completion_tokens: output, is_moderated: false },
  supported_parameters: ['max_tokens', ...(capabilities.includes('tools') ? ['tools', 'tool_choice'] : [])],
})

const perToken = (perMillion = 0): string => (perMillion / 1_000_000).toFixed(9)

const KEY = { label: 'sk-or-fake', limit: null, usage: 0, is_free_tier: false }
