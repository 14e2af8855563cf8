// Councils are made, edited and deleted on the page, and the next round speaks with what was saved.
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { answered, say } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

/** Pictures to look at; git does not keep them. */
const SCREENS = join(dirname(dirname(import.meta.dirname)), 'test-results/screens')

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

type Kept = {
  readonly key: string
  readonly name: string
  readonly advisors: readonly { readonly id: string; readonly name: string }[]
}

const opened = await openBrowser()

describe('the pages of councils', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    await mkdir(SCREENS, { recursive: true })
    gateway = await startGateway({ ANTHROPIC_API_KEY: '' })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  const kept = async (page: Page, key: string): Promise<Kept | undefined> => {
    const { items } = (await (await page.request.get(`${gateway.url}/api/councils`)).json()) as { items: Kept[] }
    return items.find(each => each.key === key)
  }
  const saved = (page: Page): Promise<void> => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()

  test('a new council is made, corrected where the gateway says so, reordered by keys, and asked', async () => {
    const tab = await openTab(browser, gateway.url, {}, /400/)
    const { page } = tab
    try {
      await page.goto(`${gateway.url}/#/councils`)
      await page.getByRole('link', { name: 'New council' }).click()
      await page.getByRole('textbox', { name: 'Name' }).first().fill('Garden')
      assert.equal(await page.getByRole('textbox', { name: 'Key' }).inputValue(), 'garden')
      const advisors = page.locator('.advisor-row')
      await advisors.nth(0).getByRole('textbox', { name: 'Name' }).fill('The Gardener')
      await page.getByRole('button', { name: 'Save' }).click()
      const why = advisors.nth(0).getByText('Must not be empty')
      await why.waitFor()
      assert.equal(await advisors.nth(0).getByRole('textbox', { name: 'Who it is' }).getAttribute('aria-invalid'), 'true')
      assert.equal(await kept(page, 'garden'), undefined, 'nothing half is kept')
      await advisors.nth(0).getByRole('textbox', { name: 'Who it is' }).fill('You think in seasons.')
      await page.getByRole('button', { name: 'Add an advisor' }).click()
      await page.keyboard.type('The Neighbour')
      await advisors.nth(1).getByRole('textbox', { name: 'Who it is' }).fill('You look over the fence.')
      await page.getByRole('textbox', { name: 'Turns in which they only ask' }).fill('0')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL('**/#/councils/garden')
      await page.getByRole('link', { name: 'Start a conversation' }).waitFor()
      assert.deepEqual(
        (await kept(page, 'garden'))?.advisors.map(({ id }) => id),
        ['the-gardener', 'the-neighbour'],
      )

      await page.getByRole('button', { name: /^The Neighbour/ }).press('Alt+ArrowUp')
      assert.match(
        (await page.evaluate(() => document.activeElement?.textContent)) ?? '',
        /^The Neighbour/,
        'the focus goes along',
      )
      await page.getByText('The Neighbour, now 1 of 2').waitFor({ state: 'attached' })
      await page.keyboard.press('Control+s')
      await saved(page)
      assert.deepEqual(
        (await kept(page, 'garden'))?.advisors.map(({ id }) => id),
        ['the-neighbour', 'the-gardener'],
      )

      await page.getByRole('link', { name: 'Start a conversation' }).click()
      await say(page, 'hello')
      await answered(page, 2)
      assert.deepEqual(await page.locator('.answer .voice').allTextContents(), ['The Neighbour', 'The Gardener'])
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  test('suggestions and files bring advisors; what somebody else wrote meanwhile is not overwritten', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      await page.goto(`${gateway.url}/#/councils`)
      await page.getByRole('button', { name: 'Duplicate Board' }).click()
      await page.waitForURL('**/#/councils/board-copy')
      await page.getByRole('textbox', { name: 'Who would suit a question?' }).fill('Should we move?')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Add The Bookkeeper' }).click()
      await page.getByText('Save or discard your changes').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await saved(page)
      assert.equal((await kept(page, 'board-copy'))?.advisors.at(-1)?.name, 'The Bookkeeper')

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export the advisors' }).click(),
      ])
      const file = await download.path()
      const { advisors } = JSON.parse(await readFile(file, 'utf8')) as { advisors: { id: string; name: string }[] }
      assert.equal(advisors.length, 6)
      const changed = advisors.map(each => (each.id === 'sceptic' ? { ...each, name: 'The Doubter' } : each))
      await writeFile(file, JSON.stringify({ advisors: changed }))
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'more.json', mimeType: 'application/json', buffer: await readFile(file) })
      await page.getByRole('button', { name: /^The Doubter/ }).waitFor()
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'no.json', mimeType: 'application/json', buffer: Buffer.from('{') })
      await page.getByText('“no.json” cannot be imported').waitFor()

      const now = await kept(page, 'board-copy')
      const { key: _, ...body } = now ?? { key: '' }
      await page.request.put(`${gateway.url}/api/councils/board-copy`, { data: { ...body, name: 'Theirs' } })
      const name = page.getByRole('textbox', { name: 'Name' }).first()
      await name.fill('Mine')
      await page.getByRole('link', { name: 'All councils' }).click()
      await page.getByRole('link', { name: 'Theirs', exact: true }).click()
      assert.equal(await name.inputValue(), 'Mine', 'what was not saved waits')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('was changed by somebody else meanwhile').waitFor()
      assert.equal((await kept(page, 'board-copy'))?.name, 'Theirs')
      await page.getByRole('button', { name: 'Overwrite with mine' }).click()
      await saved(page)
      assert.equal((await kept(page, 'board-copy'))?.name, 'Mine')

      await page.getByRole('link', { name: 'All councils' }).click()
      await page.getByRole('button', { name: 'Delete … Mine' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('link', { name: 'Mine', exact: true }).waitFor({ state: 'detached' })
      assert.equal(await kept(page, 'board-copy'), undefined)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  test('both pages by day and by night, on a desk and on a phone', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      for (const [name, hash] of [
        ['list', '#/councils'],
        ['editor', '#/councils/board'],
      ] as const) {
        await page.goto(`${gateway.url}/${hash}`)
        if (name === 'list') await page.getByRole('link', { name: 'Board', exact: true }).waitFor()
        else await page.getByRole('button', { name: /^The Sceptic/ }).click()
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          for (const [size, viewport] of Object.entries(SIZES)) {
            await page.setViewportSize(viewport)
            await page.screenshot({ path: join(SCREENS, `${size}-${colorScheme}-councils-${name}.png`) })
            assert.deepEqual(await findings(page), [], `${name}, ${size} and ${colorScheme}`)
            assert.ok(
              await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
              `${name} is wider than the screen`,
            )
          }
        }
      }
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })
})

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}
