import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { answered, say } from './support/acts.ts'
import { openBrowser, openTab, type Tab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

const opened = await openBrowser()

describe('the sidebar and the frame', { skip: 'why' in opened ? opened.why : false }, () => {
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

  /** Every tab is closed, and none of them may have had anything to complain about. */
  const inTab = async (use: (tab: Tab) => Promise<void>, options = {}, expected?: RegExp): Promise<void> => {
    const tab = await openTab(browser, gateway.url, options, expected)
    try {
      await tab.page.goto(gateway.url)
      await use(tab)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }
  /** A conversation of these words, answered; returns its id. */
  const made = async (page: Page, text: string, more: object = {}): Promise<string> => {
    const created = await page.request.post(`${gateway.url}/api/sessions`, { data: { title: text, ...more } })
    const { id } = (await created.json()) as { id: string }
    // As a stream, the answer ends when the turn does.
    const headers = { accept: 'text/event-stream' }
    await page.request.post(`${gateway.url}/api/sessions/${id}/messages`, { data: { text }, headers })
    return id
  }
  const exists = async (page: Page, id: string): Promise<boolean> =>
    (await page.request.get(`${gateway.url}/api/sessions/${id}`)).ok()

  test('a search shows where the words stand, leads there, and is left by Escape', () =>
    inTab(async ({ page }) => {
      const id = await made(page, 'the lighthouse keeper counts seven gulls')
      await made(page, 'nothing of that kind')
      // Words are indexed a moment after they are written.
      await page.waitForFunction(async () => {
        const { items } = (await (await fetch('api/sessions?query=gulls')).json()) as { items: { snippet?: string }[] }
        return items.some(({ snippet }) => snippet !== undefined)
      })
      await page.reload()
      const field = page.getByRole('searchbox', { name: 'Search conversations' })
      await row(page, 'nothing of that kind').waitFor()
      await page.keyboard.press('Control+Shift+F')
      await page.waitForFunction(() => document.activeElement?.matches('input[type=search]'))
      await page.keyboard.type('gulls seven')
      await sidebar(page).getByRole('heading', { name: 'Found' }).waitFor()
      await sidebar(page).locator('.row-snippet mark', { hasText: 'gulls' }).waitFor()
      assert.equal(await rows(page).count(), 1)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowUp')
      assert.equal(await isFocused(field), true)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(url => new RegExp(`^#/s/${id}/[1-9]\\d*$`).test(url.hash))
      await page.locator('.bubble', { hasText: 'lighthouse keeper' }).waitFor()

      await field.fill('zeppelin')
      await sidebar(page).getByText('Nothing found for “zeppelin”.').waitFor()
      await page.keyboard.press('Escape')
      assert.equal(await field.inputValue(), '')
      await row(page, 'nothing of that kind').waitFor()
    }))

  test('a row is renamed, pinned, put away and taken back, all by the keyboard', () =>
    inTab(async ({ page }) => {
      await made(page, 'a heron in the reeds')
      await made(page, 'a newer one')
      await page.reload()
      await row(page, 'a heron in the reeds').focus()
      await page.keyboard.press('F2')
      await page.keyboard.type('Heron')
      await page.keyboard.press('Enter')
      await row(page, 'Heron').waitFor()
      await page.waitForFunction(() => document.activeElement?.matches('[data-row][title="Heron"]'))
      await page.keyboard.press('Shift+F10')
      const menu = page.getByRole('menu')
      assert.deepEqual(await menu.getByRole('menuitem').allTextContents(), [
        'Rename',
        'Pin to the top',
        'Summarize earlier messages',
        'Copy link',
        'Export',
        'Archive',
        'Delete',
      ])
      await page.keyboard.press('p')
      await page.keyboard.press('Enter')
      await sidebar(page).getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'Heron' }).waitFor()
      await page.reload()
      await sidebar(page).getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'Heron' }).waitFor()

      await row(page, 'Heron').focus()
      await page.keyboard.press('Shift+F10')
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('Archived “Heron”').waitFor()
      assert.equal(await row(page, 'Heron').count(), 0)
      assert.equal(await page.evaluate(() => document.activeElement?.matches('[data-row]')), true)
      await sidebar(page).getByRole('button', { name: 'Archived' }).click()
      await sidebar(page).getByRole('button', { name: 'Restore “Heron”' }).click()
      await page.getByRole('status').getByText('Restored “Heron”').waitFor()
      await sidebar(page).getByText('Nothing is archived.').waitFor()
      await sidebar(page).getByRole('button', { name: 'Archived' }).click()
      await row(page, 'Heron').waitFor()
    }))

  test('one is saved as a file, and comes back from it', () =>
    inTab(async ({ page }) => {
      const id = await made(page, 'an otter in the stream')
      await page.reload()
      await row(page, 'an otter in the stream').waitFor()
      await row(page, 'an otter in the stream').focus()
      await page.keyboard.press('Shift+F10')
      await page.getByRole('menu').waitFor()
      await page.getByRole('menuitem', { name: 'Export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Archive (JSON)' }).click(),
      ])
      assert.equal(download.suggestedFilename(), `turnwise-an-otter-in-the-stream-${id}.json`)
      const file = await download.path()
      await page.request.delete(`${gateway.url}/api/sessions/${id}`)
      await page.goto(`${gateway.url}/#/`)
      await page.reload()
      // The browser has to be told to hand the question over, before it is asked.
      const chooser = page.waitForEvent('filechooser')
      // Keys are heard once the page stands.
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: 'Find anything, do anything' }).waitFor()
      await page.keyboard.type('import conv')
      await page.getByRole('option', { selected: true }).getByText('Import').waitFor()
      await page.keyboard.press('Enter')
      await (await chooser).setFiles(file)
      await page.getByRole('status').getByText('Imported 1 conversation with').waitFor()
      await page.waitForURL(url => url.hash === `#/s/${id}`)
      await row(page, 'an otter in the stream').waitFor()
    }))

  test('a deleted one is gone at once and back by Undo; after a while it is gone for good, and so on leaving', () =>
    inTab(
      async ({ page }) => {
        await page.clock.install()
        const [first, second] = [await made(page, 'the first to go'), await made(page, 'the second to go')]
        await page.goto(`${gateway.url}/#/s/${first}`)
        await page.reload()
        const remove = async (title: string): Promise<void> => {
          await sidebar(page)
            .getByRole('button', { name: `Options for “${title}”` })
            .click()
          await page.getByRole('menuitem', { name: 'Delete' }).click()
          await page.getByRole('status').getByText(`Deleted “${title}”`).waitFor()
          assert.equal(await row(page, title).count(), 0)
        }
        for (const title of ['the first to go', 'the second to go']) await row(page, title).waitFor()
        const before = await rows(page).allTextContents()
        await remove('the first to go')
        await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.waitForURL(url => url.hash === `#/s/${first}`)
        await row(page, 'the first to go').waitFor()
        assert.deepEqual(await rows(page).allTextContents(), before)
        assert.equal(await exists(page, first), true)

        await remove('the second to go')
        await page.keyboard.press('Control+z')
        await row(page, 'the second to go').waitFor()

        await remove('the first to go')
        await page.mouse.move(640, 600)
        const deleted = page.waitForResponse(response => response.request().method() === 'DELETE')
        await page.clock.fastForward(9000)
        assert.equal((await deleted).status(), 204)
        assert.equal(await exists(page, first), false)

        await remove('the second to go')
        await page.goto('about:blank')
        await page.goto(`${gateway.url}/#/s/${second}`)
        await page.getByRole('heading', { name: 'This conversation is not here' }).waitFor()
      },
      {},
      /404|about:blank/,
    ))

  test('a project filters the list, gets what is begun in it, and what is moved there', () =>
    inTab(async ({ page }) => {
      await page.request.put(`${gateway.url}/api/projects/garden`, { data: { context: 'About roses.' } })
      await made(page, 'about the pond')
      await page.request.patch(`${gateway.url}/api/settings`, { data: { titles: { auto: false } } })
      await page.reload()
      await sidebar(page).getByRole('button', { name: 'garden' }).click()
      await sidebar(page).getByText('Your conversations will appear here.').waitFor()
      await page.locator('.top-bar').getByText('in garden').waitFor()
      await say(page, 'which roses?')
      await answered(page, 1)
      await row(page, 'which roses?').waitFor()
      await page.reload()
      await row(page, 'which roses?').waitFor()
      assert.equal(await rows(page).count(), 1)

      await sidebar(page).getByRole('button', { name: 'All conversations' }).click()
      await row(page, 'about the pond').focus()
      await page.keyboard.press('Shift+F10')
      await page.keyboard.press('m')
      await page.keyboard.press('ArrowRight')
      assert.equal(await page.getByRole('menuitemradio', { name: 'No project' }).getAttribute('aria-checked'), 'true')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('Moved to “garden”').waitFor()
      await sidebar(page).getByRole('button', { name: 'garden' }).click()
      await row(page, 'about the pond').waitFor()
      assert.equal(await rows(page).count(), 2)
    }))

  test('the palette finds and does things by the keyboard alone, and ? lists the shortcuts', () =>
    inTab(async ({ page }) => {
      const id = await made(page, 'a quokka on the ferry')
      await page.waitForFunction(async () => (await (await fetch('api/sessions?query=quokka')).text()).includes('snippet'))
      await page.reload()
      await row(page, 'a quokka on the ferry').waitFor()
      const field = page.getByRole('combobox', { name: 'Find anything, do anything' })
      const openPalette = async (): Promise<void> => {
        await page.keyboard.press('Control+k')
        await field.waitFor()
        assert.equal(await isFocused(field), true)
      }
      await openPalette()
      await page.keyboard.type('quokka fer')
      const chosen = page.getByRole('dialog').getByRole('option', { selected: true })
      await chosen.getByText('a quokka on the ferry').waitFor()
      assert.equal(await field.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'))
      await page.getByRole('option').filter({ hasText: 'Message' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(url => url.hash === `#/s/${id}`)
      assert.equal(await page.getByRole('dialog').count(), 0)

      await openPalette()
      await page.keyboard.type('rename')
      await chosen.getByText('Rename').waitFor()
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => document.activeElement?.matches('.rename'))
      await page.keyboard.type('Ferries')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Ferries' }).waitFor()
      await row(page, 'Ferries').waitFor()

      await openPalette()
      await page.keyboard.type('find in this')
      await page.keyboard.press('Enter')
      const find = page.getByRole('textbox', { name: 'Find in this conversation' })
      await find.waitFor()
      assert.equal(await isFocused(find), true)
      await page.keyboard.press('Escape')
      await find.waitFor({ state: 'detached' })
      // What can be written after a slash can be found here, too.
      await openPalette()
      await page.keyboard.type('choose what is sent recent')
      await page.getByRole('option', { selected: true, name: /recent/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: /^Model and policy: .*recent/ }).waitFor()

      await openPalette()
      await page.keyboard.type('usage')
      await chosen.getByText('Usage').waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(url => url.hash === '#/usage')
      await openPalette()
      await page.keyboard.type('zzzz')
      await page.getByRole('status').getByText('Nothing found for “zzzz”.').waitFor()
      const closed = async (): Promise<void> => {
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await closed()
      await page.keyboard.press('Shift+?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Copy the last reply').waitFor()
      await closed()
      await page.keyboard.press('Control+Shift+O')
      await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
      await page.keyboard.press('Alt+ArrowDown')
      await page.waitForURL(url => url.hash === `#/s/${id}`)
    }))

  test('a long list is read on when its end comes near', () =>
    inTab(async ({ page }) => {
      const numbers = Array.from({ length: 60 }, (_, index) => index)
      for (const number of numbers)
        await page.request.post(`${gateway.url}/api/sessions`, { data: { title: `Number ${number}` } })
      await page.reload()
      await row(page, 'Number 59').waitFor()
      assert.equal(await rows(page).count(), 50)
      await rows(page).last().scrollIntoViewIfNeeded()
      await row(page, 'Number 0').waitFor()
    }))

  test('text size, density and a hidden sidebar are kept', () =>
    inTab(async ({ page }) => {
      const size = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)
      const usual = await size()
      await page.getByRole('button', { name: 'Preferences' }).click()
      const dialog = page.getByRole('dialog', { name: 'Preferences' })
      await dialog.getByText('Larger').click()
      await dialog.getByText('Compact').click()
      await dialog.getByText('Dark', { exact: true }).click()
      const large = await size()
      assert.ok(Number.parseFloat(large) > Number.parseFloat(usual))
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+b')
      await sidebar(page).waitFor({ state: 'hidden' })
      await page.reload()
      await page.getByRole('button', { name: 'Show the sidebar' }).waitFor()
      assert.equal(await size(), large)
      assert.equal(await page.evaluate(() => document.documentElement.dataset.density), 'compact')
      const air = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--airy'))
      assert.ok(Number(air) < 1, 'there is less space between things')
      const colors = page
        .locator('meta[name="theme-color"]')
        .evaluateAll(metas => metas.map(meta => meta.getAttribute('content')))
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      assert.deepEqual(await colors, ['#1a1917', '#1a1917'])
      assert.equal(paper, 'rgb(26, 25, 23)')
      assert.equal(await sidebar(page).isVisible(), false)
      await page.keyboard.press('Control+b')
      await sidebar(page).waitFor()
    }))

  test('on a phone the drawer has everything, and closes when one goes somewhere', () =>
    inTab(
      async ({ page }) => {
        const id = await made(page, 'a walk on the pier')
        await page.reload()
        const open = page.getByRole('button', { name: 'Open the list of conversations' })
        await open.tap()
        await row(page, 'a walk on the pier').tap()
        await page.waitForURL(url => url.hash === `#/s/${id}`)
        await page.waitForFunction(() => document.querySelector('.sidebar')?.matches('[inert]'))
        await open.tap()
        await sidebar(page).getByRole('button', { name: 'Options for “a walk on the pier”' }).tap()
        await page.getByRole('menuitem', { name: 'Archive' }).tap()
        const toast = await page.locator('.toast').boundingBox()
        const head = await page.locator('.sidebar-head').boundingBox()
        assert.ok(toast !== null && head !== null && toast.y > head.y + head.height, 'the head of the list stays free')
        await page.getByRole('button', { name: 'Undo' }).tap()
        await row(page, 'a walk on the pier').waitFor()
        await sidebar(page).getByRole('button', { name: 'Find anything, do anything' }).tap()
        await page.getByRole('option', { name: 'Models' }).tap()
        await page.waitForURL(url => url.hash === '#/models')
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    ))
})

const sidebar = (page: Page): Locator => page.getByRole('navigation', { name: 'Conversations' })
const rows = (page: Page): Locator => sidebar(page).locator('[data-row]')
const row = (page: Page, title: string): Locator => sidebar(page).getByRole('link', { name: title, exact: true })
const isFocused = (where: Locator): Promise<boolean> => where.evaluate(element => element === document.activeElement)
