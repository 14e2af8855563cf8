/** How models are named: `demo`, `provider/model`, or `compatible/server/model` for a server that the settings name. */
export const COMPATIBLE = 'compatible'

export type ModelName = {
  /** The first word. */
  readonly kind: string
  /** As under `providers` in the settings: the server's own name where the kind is `compatible`. */
  readonly provider: string
  /** As the provider calls it; empty where the name has no such part. */
  readonly model: string
}

export function readModelName(name: string): ModelName {
  const [kind = '', ...rest] = name.split('/')
  if (kind !== COMPATIBLE) return { kind, provider: kind, model: rest.join('/') }
  const [provider = '', ...model] = rest
  return { kind, provider, model: model.join('/') }
}
