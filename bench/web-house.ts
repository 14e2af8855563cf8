import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from '../test/browser/support/gateway.ts'
import { LONG_CHAT, writeLongChat } from '../test/support/long-chat.ts'

/** A gateway with a long conversation and a council of five in it. */
export type WebHouse = {
  readonly url: string
  /** The long conversation. */
  readonly long: string
  /** Opens a conversation with five advisors. */
  readonly council: () => Promise<string>
  readonly close: () => Promise<void>
}

/** As quick as a quick model speaks. */
const PAUSE_MS = 15

const FIVE = {
  name: 'Five',
  early: { turns: 0 },
  advisors: ['one', 'two', 'three', 'four', 'five'].map(id => ({ id, name: id, description: `Adviser ${id}.`, active: true })),
}

export async function openHouse(messages: number): Promise<WebHouse> {
  const { url, stop } = await startGateway({ TURNWISE_DEMO_DELAY_MS: String(PAUSE_MS) }, {}, async home => {
    writeFileSync(join(home, 'councils.json'), JSON.stringify({ councils: { five: FIVE } }))
    await writeLongChat(home, messages)
  })
  const council = async (): Promise<string> => {
    const response = await fetch(`${url}/api/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ council: 'five' }),
    })
    return ((await response.json()) as { id: string }).id
  }
  return { url, long: LONG_CHAT, council, close: stop }
}
