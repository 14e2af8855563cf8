// Takes the pictures in docs/screens: the main states of the page, wide and on a phone, light and dark.
// `node scripts/screens.ts [state …]` takes some of them only.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openBrowser, openTab } from '../test/browser/support/browser.ts'
import { openPlace } from './screens/place.ts'
import { type ScreenState, STATES } from './screens/states.ts'
import { remove, type Told, tell } from './screens/tell.ts'

const root = join(import.meta.dirname, '..')
const FOLDER = join(root, 'docs/screens')
const LOOKS = [
  { look: 'wide-light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { look: 'wide-dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { look: 'phone-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { look: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !STATES.some(state => state.name === name))
if (unknown.length > 0)
  throw new Error(`no such state: ${unknown.join(', ')}; known: ${STATES.map(({ name }) => name).join(', ')}`)

spawnSync(process.execPath, ['scripts/build-web.ts'], { cwd: root, stdio: 'inherit' })
const browser = await openBrowser()
if ('why' in browser) throw new Error(browser.why)
mkdirSync(FOLDER, { recursive: true })
const place = await openPlace()
try {
  const told = await tell(place)
  const states = STATES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  for (const look of LOOKS) {
    for (const state of states) await picture(look, state, told)
  }
} finally {
  await browser.close()
  await place.close()
}

async function picture({ look, ...options }: (typeof LOOKS)[number], { name, show }: ScreenState, told: Told): Promise<void> {
  const made: string[] = []
  const tab = await openTab(browser as Browser, place.url, { ...options, reducedMotion: 'reduce' })
  try {
    await show({ page: tab.page, place, told, onMade: session => made.push(session) })
    await tab.page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) })
    if (tab.complaints.length > 0) throw new Error(`${name} ${look}: ${tab.complaints.join('; ')}`)
    console.log(`${name}-${look}.png`)
  } finally {
    await tab.close()
    for (const session of made) await remove(place, session)
  }
}
