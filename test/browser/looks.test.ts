import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { answered, growing, say } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'
import { TROUBLE } from './support/trouble.ts'

/** Pictures to look at; git does not keep them. */
const SCREENS = join(dirname(dirname(import.meta.dirname)), 'test-results/screens')

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

const opened = await openBrowser()

describe('how the page looks', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    await mkdir(SCREENS, { recursive: true })
    gateway = await startGateway()
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      test(`${size} and ${colorScheme}, nothing stands in anybody's way`, async () => {
        const tab = await openTab(browser, gateway.url, { viewport, colorScheme })
        const { page } = tab
        const look = async (name: string): Promise<void> => {
          await settled(page)
          await page.screenshot({ path: join(SCREENS, `${size}-${colorScheme}-${name}.png`) })
          assert.deepEqual(await findings(page), [], name)
          assert.ok(await fits(page), `${name} is wider than the screen`)
        }
        try {
          await page.goto(gateway.url)
          await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
          await look('welcome')
          await say(page, 'think about the sea')
          await answered(page, 1)
          await say(page, 'use clock {"zone":"utc"}')
          await answered(page, 2)
          for (const summary of await page.locator('.thinking summary, .tool summary').all()) await summary.click()
          await look('opened')
          await page.reload()
          await say(page, 'say 9999 words')
          await growing(page, 300)
          await look('streaming')
          await page.getByRole('button', { name: 'Stop' }).click()
          await answered(page, 3)
          await look('stopped')
          if (size === 'narrow') {
            await page.getByRole('button', { name: 'Open the list of conversations' }).click()
            await page.waitForFunction(() => document.querySelector('.sidebar')?.getBoundingClientRect().left === 0)
            await look('drawer')
          }
          const options = page.getByRole('navigation').getByRole('button', { name: /^Options/ })
          await options.first().click()
          await page.getByRole('menu').waitFor()
          await look('menu')
          await page.getByRole('menuitem', { name: 'Delete' }).click()
          await page.getByRole('button', { name: 'Undo' }).waitFor()
          await look('deleted')
          for (const [name, overlay] of [
            ['Find anything, do anything', 'palette'],
            ['Preferences', 'preferences'],
            ['Keyboard shortcuts', 'shortcuts'],
          ] as const) {
            await page.getByRole('navigation').getByRole('button', { name }).click()
            await page.getByRole('dialog').waitFor()
            await look(overlay)
            await page.keyboard.press('Escape')
            await page.getByRole('dialog').waitFor({ state: 'detached' })
          }
          assert.deepEqual(tab.complaints, [])
        } finally {
          await tab.close()
        }
      })
    }
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`what is not sent stands above a quiet line, ${colorScheme}`, async () => {
      const tab = await openTab(browser, gateway.url, { colorScheme })
      const { page } = tab
      try {
        const made = await page.request.post(`${gateway.url}/api/sessions`, { data: { policy: 'recent', title: 'A window' } })
        const { id } = (await made.json()) as { id: string }
        await page.goto(`${gateway.url}/#/s/${id}`)
        for (const [index, text] of ['one', 'two', 'three', 'four'].entries()) {
          await say(page, text)
          await answered(page, index + 1)
        }
        const listed = await page.request.get(`${gateway.url}/api/sessions/${id}/events`)
        const { items } = (await listed.json()) as { items: { type: string; seq: number }[] }
        // Where the second one stands depends on what the house did meanwhile.
        const [, second] = items.filter(({ type }) => type === 'message.received')
        for (const data of [
          { seq: 1, mark: 'pin' },
          { seq: second?.seq, mark: 'exclude' },
        ])
          await page.request.post(`${gateway.url}/api/sessions/${id}/marks`, { data })
        await page.getByText('Not sent', { exact: true }).waitFor()
        await page.locator('.notice[data-kind="window"]').waitFor()
        await page.screenshot({ path: join(SCREENS, `wide-${colorScheme}-window-notice.png`) })
        assert.deepEqual(await findings(page), [])
        await page.getByRole('region', { name: 'Conversation', exact: true }).evaluate(box => box.scrollTo(0, 0))
        await page.screenshot({ path: join(SCREENS, `wide-${colorScheme}-window.png`) })
        assert.deepEqual(await findings(page), [])
        assert.deepEqual(tab.complaints, [])
      } finally {
        await tab.close()
      }
    })

    test(`trouble is told in words, ${colorScheme}`, async () => {
      const tab = await openTab(browser, gateway.url, { colorScheme }, /503|ERR_CONNECTION_REFUSED/)
      const { page } = tab
      try {
        const problem = { title: 'The store does not answer', detail: 'Nothing is lost; try again in a moment.', status: 503 }
        await page.route('**/events', route => route.abort('connectionrefused'))
        await page.route('**/events', route => route.fulfill({ contentType: 'text/event-stream', body: TROUBLE }), { times: 1 })
        await page.route('**/messages', route =>
          route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
        )
        await page.goto(gateway.url)
        await say(page, 'are you there?')
        await page.getByRole('alert').getByText('The store does not answer').waitFor()
        for (const words of ['The provider asked us to slow down', 'Interrupted before it was finished', 'can no longer be read'])
          await page.getByText(words).waitFor()
        await page.getByText('The line to the gateway is gone').waitFor()
        await page.screenshot({ path: join(SCREENS, `wide-${colorScheme}-trouble.png`) })
        assert.deepEqual(await findings(page), [])
        assert.deepEqual(tab.complaints, [])
      } finally {
        await tab.close()
      }
    })
  }

  test('the drawer opens, is left by Escape, and gives the focus back', async () => {
    const tab = await openTab(browser, gateway.url, { viewport: SIZES.narrow })
    const { page } = tab
    await page.goto(gateway.url)
    const menu = page.getByRole('button', { name: 'Open the list of conversations' })
    await menu.click()
    await page.getByRole('button', { name: 'Close the list' }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelector('.sidebar')?.matches('[inert]'))
    assert.equal(await menu.evaluate(button => button === document.activeElement), true)
    await tab.close()
  })
})

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}

/** Until nothing fades in any more; what breathes on goes on. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map(animation => animation.finished.catch(() => null)),
    ).then(() => null),
  )

const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
