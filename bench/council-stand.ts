import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ProviderSetting } from '../src/model/provider.ts'
import { EVERYBODY, type Member } from './council-cast.ts'

/** Far more than a council asks at one time: what waits for a place is not what is measured. */
const CONCURRENCY = 64
const FAKES = fileURLToPath(new URL('./council-fakes.ts', import.meta.url))

/** The providers of all members, each on a socket of its own. */
export type Stand = {
  readonly providers: Readonly<Record<string, ProviderSetting>>
  readonly modelOf: (member: Member) => string
  readonly close: () => Promise<void>
}

/** The good ones answer from one process and all others from another: what keeps those busy must not hold up these. */
export async function openStand(): Promise<Stand> {
  const good = EVERYBODY.filter(({ kind }) => kind === 'good' || kind === 'later')
  const rest = EVERYBODY.filter(member => !good.includes(member))
  const groups = await Promise.all([good, rest].map(started))
  return {
    providers: Object.assign({}, ...groups.map(({ providers }) => providers)),
    modelOf: ({ id }) => `compatible/${id}/bench`,
    close: async () => {
      for (const { close } of groups) await close()
    },
  }
}

async function started(members: readonly Member[]): Promise<Pick<Stand, 'providers' | 'close'>> {
  const fakes = fork(
    FAKES,
    members.map(({ kind }) => kind),
  )
  const [urls] = (await once(fakes, 'message')) as [readonly string[]]
  const settings = members.map(({ id }, index) => [id, { baseURL: urls[index] ?? '', concurrency: CONCURRENCY }] as const)
  return {
    providers: Object.fromEntries(settings),
    close: async () => {
      fakes.kill()
      // What it used is known once it has ended.
      await once(fakes, 'exit')
    },
  }
}
