import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ProviderSetting } from '../src/model/provider.ts'
import { BAD, EVERYBODY, type Member, TALKER_TOKENS } from './council-cast.ts'

/** Far more than a council asks at one time: what waits for a place is not what is measured. */
const CONCURRENCY = 64

/** The providers of all members, each on a socket of its own; those of the bad ones run in other processes than the good. */
export type Stand = {
  readonly providers: Readonly<Record<string, ProviderSetting>>
  readonly modelOf: (member: Member) => string
  readonly close: () => Promise<void>
}

export async function openStand(): Promise<Stand> {
  const isGood = ({ kind }: Member): boolean => kind === 'good' || kind === 'later'
  const good = EVERYBODY.filter(isGood)
  const bad = EVERYBODY.filter(member => !isGood(member) && member.kind !== 'talker')
  const talker = child('./wire-server.ts', [`${TALKER_TOKENS}`])
  const groups = [
    { members: good, process: child('./council-fakes.ts', kindsOf(good)) },
    { members: bad, process: child('./council-fakes.ts', kindsOf(bad)) },
  ]
  const [port] = (await once(talker, 'message')) as [number]
  const providers: Record<string, ProviderSetting> = {
    [BAD.talker.id]: { baseURL: `http://127.0.0.1:${port}/16/v1`, concurrency: CONCURRENCY },
  }
  for (const { members, process: fakes } of groups) {
    const [urls] = (await once(fakes, 'message')) as [readonly string[]]
    for (const [index, { id }] of members.entries()) providers[id] = { baseURL: urls[index] ?? '', concurrency: CONCURRENCY }
  }
  return {
    providers,
    modelOf: ({ id }) => `compatible/${id}/bench`,
    close: async () => {
      // What they used is known once they have ended.
      for (const each of [talker, ...groups.map(group => group.process)]) {
        each.kill()
        await once(each, 'exit')
      }
    },
  }
}

const kindsOf = (members: readonly Member[]): readonly string[] => members.map(({ kind }) => kind)

const child = (file: string, args: readonly string[]): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), [...args])
