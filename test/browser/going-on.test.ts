// The gateway dies in the middle of a reply, and the page shows what becomes of it.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { answered, growing, lastReply, noteGrowth, say } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

/** Pictures to look at; git does not keep them. */
const SCREENS = join(dirname(dirname(import.meta.dirname)), 'test-results/screens')

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

/** The demo model's words come again after twelve; it is cut off before that, where what follows cannot be taken for a repetition. */
const SLOW = { TURNWISE_DEMO_DELAY_MS: '400' }
const QUICK = { TURNWISE_DEMO_DELAY_MS: '5' }
/** In letters: three words. */
const SOME_WORDS = 14

/** A picture is of one moment. */

/** What a browser says of a gateway that is not there. */
const GONE = /ERR_(CONNECTION|INCOMPLETE|NETWORK|EMPTY|ABORTED)|Failed to load resource/

const opened = await openBrowser()

describe('a gateway that dies while it speaks', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  const whole = Array.from({ length: 60 }, (_, index) =>
    (index + 1) % 12 === 0 ? `${index + 1}` : 'calm river under a wide sky carries small boats to the'.split(' ')[index % 12],
  ).join(' ')

  before(async () => {
    buildPage()
    await mkdir(SCREENS, { recursive: true })
  })
  after(() => browser.close())

  const started = async (t: TestContext, settings?: object): Promise<Gateway> => {
    const gateway = await startGateway({ ...SLOW, ANTHROPIC_API_KEY: '' }, settings)
    t.after(gateway.stop)
    return gateway
  }

  test('the page comes back by itself, and the reply goes on as one text, with no word twice', async t => {
    const gateway = await started(t)
    const { page, complaints, close } = await openTab(browser, gateway.url, {}, GONE)
    t.after(close)
    await page.goto(gateway.url)
    const seen = await noteGrowth(page)
    await say(page, 'say 60 words')
    await growing(page, SOME_WORDS)
    await gateway.crash()
    // A page that was not read before cannot be read now; everything else stays.
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('heading', { name: 'This page could not be read' }).waitFor()
    await page.goBack()
    await gateway.again(QUICK)
    await answered(page, 1)
    assert.equal(await lastReply(page), whole)
    assert.equal(await page.locator('.spoken').count(), 1)
    for (const text of await seen()) assert.ok(whole.startsWith(text), `never shown: ${text}`)
    await page.getByText('Interrupted, went on').waitFor()
    await look(page, 'went-on')

    await page.reload()
    await answered(page, 1)
    assert.equal(await lastReply(page), whole)
    assert.deepEqual(complaints, [])
  })

  test('where a person is to be asked, Continue goes on, and the first attempt stays', async t => {
    const gateway = await started(t, { resume: { mode: 'ask' } })
    const { page, complaints, close } = await openTab(browser, gateway.url, {}, GONE)
    t.after(close)
    await page.goto(gateway.url)
    await say(page, 'say 60 words')
    await growing(page, SOME_WORDS)
    await gateway.crash()
    await gateway.again()
    const button = page.getByRole('button', { name: 'Continue' })
    await button.waitFor()
    await page.getByText('Interrupted before it was finished', { exact: true }).waitFor()
    await look(page, 'interrupted')
    await button.click()
    await growing(page, SOME_WORDS)
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'scroller', 'the focus stays on the page')
    await page.getByText('Interrupted before it was finished; tried again below').click()
    await look(page, 'continued')
    await gateway.crash()
    await gateway.again(QUICK)
    await say(page, '/resume')
    await answered(page, 3)
    assert.equal(await lastReply(page), whole)
    assert.deepEqual(await page.locator('.bubble').allTextContents(), ['say 60 words'], '/resume is no message')
    assert.equal(await page.locator('.attempt').count(), 2)
    assert.equal(await button.count(), 0)
    assert.deepEqual(complaints, [])
  })

  test('a failed turn is tried again with one button; what is said meanwhile waits to be heard', async t => {
    const gateway = await started(t)
    const { page, complaints, close } = await openTab(browser, gateway.url)
    t.after(close)
    const made = await page.request.post(`${gateway.url}/api/sessions`, { data: { model: 'anthropic/claude-sonnet-4-5' } })
    const { id } = (await made.json()) as { id: string }
    await page.goto(`${gateway.url}/#/s/${id}`)
    await say(page, 'say 60 words')
    const button = page.getByRole('button', { name: 'Try again' })
    await button.waitFor()
    await look(page, 'failed')
    await page.request.patch(`${gateway.url}/api/sessions/${id}`, { data: { model: 'demo' } })
    await button.click()
    await growing(page, SOME_WORDS)
    await say(page, 'and then?')
    await page.getByText('Waiting to be heard').waitFor()
    await look(page, 'waiting')
    await page.keyboard.press('Escape')
    await page.locator('.reply .fault').getByText('Stopped').waitFor()
    await page.getByText('Waiting to be heard').waitFor({ state: 'detached' })
    await look(page, 'heard')
    assert.deepEqual(complaints, [])
  })
})

/** On a desk and on a phone, by day and by night. */
async function look(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(SCREENS, `${size}-${colorScheme}-${name}.png`) })
      assert.deepEqual(await findings(page), [], `${name}, ${size} and ${colorScheme}`)
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than the screen`)
    }
  }
  await page.setViewportSize(SIZES.wide)
}

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}
