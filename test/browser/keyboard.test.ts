// A conversation from its first word to its end, without ever touching a pointer.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { answered, bubbles } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

const opened = await openBrowser()

describe('by keyboard alone', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    gateway = await startGateway()
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  test('one writes, reads the receipt, says it in other words, goes back to the first version, and leaves', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    const { keyboard } = page
    try {
      await page.goto(gateway.url)
      await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
      await keyboard.press('Tab')
      await page.evaluate(() => document.body.focus())
      assert.equal(await tabTo(page, 'Skip to the message box', 'Shift+Tab'), true, 'the way past the list is there')
      await keyboard.press('Enter')
      await atMessage(page)

      await keyboard.type('think about rivers')
      await keyboard.press('Enter')
      await answered(page, 1)
      await atMessage(page)

      assert.equal(await tabTo(page, /^Saw your message/, 'Shift+Tab'), true, 'how much it saw is reached')
      await keyboard.press('Enter')
      await page.getByRole('complementary', { name: 'Inspector' }).getByRole('columnheader', { name: 'Why' }).waitFor()
      await keyboard.press('Escape')
      await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' })
      assert.equal(await tabTo(page, /^Thought|^Thoughts/, 'Shift+Tab'), true, 'and so is what was thought')
      await keyboard.press('Enter')
      assert.equal(await page.locator('.thinking[open]').count(), 1)

      await keyboard.press('/')
      await atMessage(page)
      await keyboard.press('ArrowUp')
      await page.getByRole('textbox', { name: 'The message in other words' }).waitFor()
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type('say 5 words')
      await keyboard.press('Enter')
      await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
      await answered(page, 1)
      assert.deepEqual(await bubbles(page), ['say 5 words'])
      assert.equal(await tabTo(page, 'Previous version', 'Shift+Tab'), true, 'the arrows are reached')
      await keyboard.press('Enter')
      await page.getByRole('group', { name: 'Version 1 of 2' }).waitFor()
      assert.deepEqual(await bubbles(page), ['think about rivers'])

      await keyboard.press('ControlOrMeta+k')
      await page.getByRole('dialog').waitFor()
      await keyboard.type('usage')
      await keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
      await keyboard.press('ControlOrMeta+Shift+o')
      await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
      await atMessage(page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })
})

/** Where one may go on writing. */
const atMessage = (page: Page): Promise<unknown> => page.waitForFunction(() => document.activeElement?.id === 'message')

/** What somebody who cannot see it is told of where the focus is. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement
    return at === null || at === document.body ? '' : (at.getAttribute('aria-label') ?? at.textContent ?? '').trim()
  })

/** Goes on until something of that name has the focus, and never by way of nowhere; false if it is not reached. */
async function tabTo(page: Page, name: string | RegExp, key: string): Promise<boolean> {
  for (let presses = 0; presses < 80; presses += 1) {
    const here = await focused(page)
    if (typeof name === 'string' ? here === name : name.test(here)) return true
    await page.keyboard.press(key)
  }
  return false
}
