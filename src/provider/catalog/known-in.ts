/** Finds a model in a table of known ones, also under a dated or `-latest` name. */
import type { ModelFacts } from '../../model/provider.ts'

export function knownIn(models: Readonly<Record<string, ModelFacts>>, name: string): ModelFacts | undefined {
  const known = [name, name.replace(DATE, '')].find(one => Object.hasOwn(models, one))
  return known === undefined ? undefined : models[known]
}

const DATE = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/
