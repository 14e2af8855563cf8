// Makes a free id from an advisor's name.
import { slugOf } from '../../model/settings/slug.ts'
import { whyNoName } from './policies.ts'

/** Makes an id from a name in any script, different from all taken ones: `Pema Chödrön` becomes `pema-chodron`. */
export function advisorId(name: string, taken: readonly string[]): string {
  const slug = slugOf(name)
  const base = whyNoName(slug) === undefined ? slug : ['advisor', slug].filter(part => part !== '').join('-')
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    if (!taken.includes(id)) return id
  }
}
