/** How the fake Ollama lists its models. */
import { type FakeAnswer, jsonAnswer } from '../fake-answer.ts'
import { CREATED_AT } from './dialect.ts'

/** A model of a fake provider. */
export type FakeModel = {
  readonly name: string
  /** What people call it. Ollama and OpenAI do not say. */
  readonly title?: string
  /** The length of its context, in tokens. */
  readonly context?: number
  /** The longest reply, in tokens. Anthropic and OpenRouter say it. */
  readonly output?: number
  /** In dollars for a million tokens. Only OpenRouter says it. */
  readonly price?: { readonly input: number; readonly output: number }
  /** The `num_ctx` that its Modelfile sets. */
  readonly numCtx?: number
  /** As Ollama calls them: completion, tools, thinking, vision. */
  readonly capabilities?: readonly string[]
}

const DETAILS = {
  parent_model: '',
  format: 'gguf',
  family: 'fake',
  families: ['fake'],
  parameter_size: '8.2B',
  quantization_level: 'Q4_K_M',
}

/**
 * Answers `GET /api/version`, `GET /api/tags`, `POST /api/show`, and null for any other request. Without a list, every model
 * exists.
 */
export function modelsAnswer(
  method: string,
  path: string,
  json: unknown,
  models: readonly FakeModel[] | undefined,
): FakeAnswer | null {
  switch (`${method} ${path}`) {
    case 'GET /api/version':
      return jsonAnswer({ version: '0.40.12' })
    case 'GET /api/tags':
      return jsonAnswer({ models: (models ?? [{ name: 'fake:latest' }]).map(tagOf) })
    case 'POST /api/show': {
      const name = nameOf(json)
      const model = models === undefined ? { name } : models.find(known => known.name === name || known.name === `${name}:latest`)
      return model === undefined ? { ...jsonAnswer({ error: `model '${name}' not found` }), code: 404 } : jsonAnswer(shown(model))
    }
    default:
      return null
  }
}

function nameOf(json: unknown): string {
  const { model, name } = (typeof json === 'object' && json !== null ? json : {}) as { model?: unknown; name?: unknown }
  return String(model ?? name ?? '')
}

const tagOf = ({ name }: FakeModel): object => ({
  name,
  model: name,
  modified_at: CREATED_AT,
  size: 5_200_000_000,
  digest: '0'.repeat(64),
  details: DETAILS,
})

const shown = ({ context = 40_960, numCtx, capabilities = ['completion', 'tools', 'thinking'] }: FakeModel): object => ({
  license: '',
  modelfile: '',
  // One parameter a line, padded as Ollama pads it.
  parameters: numCtx === undefined ? '' : `${'num_ctx'.padEnd(31)}${numCtx}`,
  template: '{{ .Prompt }}',
  details: DETAILS,
  model_info: { 'general.architecture': 'fake', 'general.parameter_count': 8_200_000_000, 'fake.context_length': context },
  capabilities,
  modified_at: CREATED_AT,
})
