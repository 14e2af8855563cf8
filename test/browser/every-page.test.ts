// What holds wherever one is: nothing serious for axe, nothing wider than the screen, no word on the console, nobody else asked.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { answered, say } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

/** Where one may go, and what stands there. */
const PLACES = [
  ['', 'heading', 'What is on your mind?'],
  ['agents', 'heading', 'Agents'],
  ['agents/assistant', 'textbox', 'Name'],
  ['councils', 'heading', 'Councils'],
  ['councils/board', 'heading', 'Councils'],
  ['skills', 'heading', 'Skills and tools'],
  ['policies', 'heading', 'Policies'],
  ['memory', 'heading', 'Memory'],
  ['models', 'heading', 'Models'],
  ['mcp', 'button', 'Add server'],
  ['settings', 'heading', 'General'],
  ['usage', 'heading', 'Usage'],
  ['projects', 'heading', 'Projects'],
] as const

const LOOKS = [
  { name: 'wide and light', viewport: { width: 1280, height: 800 }, colorScheme: 'light', axe: true },
  { name: 'wide and dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark', axe: true },
  { name: 'on the narrowest phone', viewport: { width: 360, height: 640 }, colorScheme: 'light', axe: true },
  { name: 'at 200 % on a small screen', viewport: { width: 640, height: 400 }, colorScheme: 'dark', axe: false },
  { name: 'with the keyboard open', viewport: { width: 360, height: 320 }, colorScheme: 'light', axe: false },
] as const

const opened = await openBrowser()

describe('every page', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let chat: string

  before(async () => {
    buildPage()
    gateway = await startGateway()
    chat = await talkedOver()
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  for (const { name, viewport, colorScheme, axe } of LOOKS) {
    test(`${name}, every page can be read by everybody`, async () => {
      const tab = await openTab(browser, gateway.url, { viewport, colorScheme })
      const { page } = tab
      try {
        await page.goto(gateway.url)
        for (const [hash, role, words] of [...PLACES, [`s/${chat}`, 'textbox', 'Message'] as const]) {
          await goTo(page, hash)
          await page.getByRole(role, { name: words }).first().waitFor()
          assert.ok(await fits(page), `#/${hash} is wider than the screen`)
          if (axe) assert.deepEqual(await findings(page), [], `#/${hash}`)
        }
        assert.deepEqual(tab.complaints, [])
      } finally {
        await tab.close()
      }
    })
  }

  test('with the keyboard open on a small phone there is room to write and to read', async () => {
    const tab = await openTab(browser, gateway.url, { viewport: { width: 360, height: 320 }, hasTouch: true, isMobile: true })
    const { page } = tab
    try {
      await page.goto(`${gateway.url}/#/s/${chat}`)
      const field = page.getByRole('textbox', { name: 'Message' })
      await field.tap()
      await field.fill('one\ntwo\nthree\nfour\nfive\nsix\nseven\neight')
      const box = await field.boundingBox()
      const region = await page.getByRole('region', { name: 'Conversation', exact: true }).boundingBox()
      const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox()
      assert.ok(box !== null && region !== null && send !== null)
      assert.ok(box.y >= 0 && box.y + box.height <= 320, 'the field is on the screen')
      assert.ok(send.y + send.height <= 320 && send.x + send.width <= 360, 'so is the button')
      assert.ok(region.height >= 60, 'something of the conversation is left')
    } finally {
      await tab.close()
    }
  })

  test('with the network off nothing is missing', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      // Only the gateway itself can be reached; whatever else a page would want is refused, and noted.
      await page.context().route(
        address => address.origin !== gateway.url,
        route => route.abort('internetdisconnected'),
      )
      await page.goto(`${gateway.url}/#/s/${chat}`)
      await page.getByText('Hello there').first().waitFor()
      await page.evaluate(() => document.fonts.ready)
      for (const [hash, role, words] of PLACES) {
        await goTo(page, hash)
        await page.getByRole(role, { name: words }).first().waitFor()
      }
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  async function talkedOver(): Promise<string> {
    const tab = await openTab(browser, gateway.url)
    try {
      await tab.page.goto(gateway.url)
      await say(tab.page, 'Hello there')
      await answered(tab.page, 1)
      await say(tab.page, 'think about the sea')
      await answered(tab.page, 2)
      return new URL(tab.page.url()).hash.replace('#/s/', '')
    } finally {
      await tab.close()
    }
  }
})

const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate(to => {
    location.hash = `#/${to}`
  }, hash)

const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}
