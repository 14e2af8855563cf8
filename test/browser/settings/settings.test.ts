// Settings, policies, skills and rules are changed on the page, against a real gateway.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { answered, say } from '../support/acts.ts'
import { openBrowser, openTab } from '../support/browser.ts'
import { buildPage, type Gateway, startGateway } from '../support/gateway.ts'

const opened = await openBrowser()

/** A refused value is an answer, not a fault of the page. */
const REFUSED = /status of 422/

/** A server with one model to choose; it is never asked to answer. */
const listing = createServer((_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ object: 'list', data: [{ id: 'tiny', object: 'model' }] }))
})

const row = (page: Page, path: string): Locator => page.locator(`[data-setting="${path}"]`)

describe('settings on the page', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    listing.listen(0, '127.0.0.1')
    await once(listing, 'listening')
    const { port } = listing.address() as AddressInfo
    gateway = await startGateway({}, { providers: { lan: { baseURL: `http://127.0.0.1:${port}/v1` } } }, async home => {
      await mkdir(join(home, 'skills/poems'), { recursive: true })
      await writeFile(join(home, 'skills/poems/SKILL.md'), '---\nname: poems\ndescription: Writes poems.\n---\nRhyme.')
    })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
    listing.close()
  })

  const setting = async (page: Page, group: string, key?: string): Promise<unknown> => {
    const tree = await (await page.request.get(`${gateway.url}/api/settings`)).json()
    return key === undefined ? tree[group].value : tree[group][key].value
  }
  const inTab = async (place: string, act: (page: Page) => Promise<void>, width = 1280): Promise<void> => {
    const tab = await openTab(browser, gateway.url, { viewport: { width, height: 844 } }, REFUSED)
    try {
      await tab.page.goto(`${gateway.url}/#/${place}`)
      await act(tab.page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }
  const isSaved = (page: Page): Promise<void> =>
    page.getByRole('status').filter({ hasText: 'Saved' }).first().waitFor({ state: 'attached' })

  test('a limit is changed, refused at its field, and reset', () =>
    inTab('settings', async page => {
      const steps = page.getByRole('textbox', { name: 'Steps per turn' })
      await steps.fill('0')
      await steps.press('Enter')
      await row(page, 'limits.steps').locator('.form-error').waitFor()
      assert.equal(await setting(page, 'limits', 'steps'), 50)
      await steps.fill('7')
      await steps.press('Enter')
      await row(page, 'limits.steps').getByText('turnwise.json').waitFor()
      assert.equal(await setting(page, 'limits', 'steps'), 7)
      await page.getByRole('button', { name: /^Reset to default ?: Steps per turn$/ }).click()
      await row(page, 'limits.steps').getByText('Default', { exact: true }).waitFor()
      assert.equal(await setting(page, 'limits', 'steps'), 50)
      assert.match((await row(page, 'gateway.port').textContent()) ?? '', /Environment.*TURNWISE_PORT/)
    }))

  test('the default model is chosen with the picker', () =>
    inTab('settings', async page => {
      await page.getByRole('button', { name: 'Default model: demo' }).click()
      await page.getByRole('dialog').getByRole('combobox').fill('tiny')
      await page.getByRole('dialog').getByRole('option', { name: /tiny/ }).first().click()
      await page.getByRole('button', { name: 'Default model: compatible/lan/tiny' }).waitFor()
      await row(page, 'model').getByText('turnwise.json').waitFor()
      assert.equal(await setting(page, 'model'), 'compatible/lan/tiny')
      await page.getByRole('button', { name: /^Reset to default ?: Default model$/ }).click()
      await page.getByRole('button', { name: 'Default model: demo' }).waitFor()
      await page.getByRole('switch', { name: 'Name chats automatically' }).click()
      await isSaved(page)
      assert.equal(await setting(page, 'titles', 'auto'), false)
    }))

  test('the window of a model is set, refused at its field, and reset', () =>
    inTab('models', async page => {
      const part = page.getByRole('region', { name: 'Windows and prices' })
      const windowOf = async (): Promise<number | undefined> => {
        const { items } = (await (await page.request.get(`${gateway.url}/api/models`)).json()) as {
          items: { name: string; window: number }[]
        }
        return items.find(({ name }) => name === 'compatible/lan/tiny')?.window
      }
      await part.getByLabel('Model').selectOption('compatible/lan/tiny')
      await part.getByLabel('Window').fill('none')
      await part.getByRole('button', { name: 'Save' }).click()
      await part.locator('.form-error').first().waitFor()
      await part.getByLabel('Window').fill('32,768')
      await part.getByRole('button', { name: 'Save' }).click()
      await part.getByRole('button', { name: 'Reset to default' }).waitFor()
      assert.equal(await windowOf(), 32_768)
      await part.getByRole('button', { name: 'Reset to default' }).click()
      await part.getByRole('button', { name: 'Reset to default' }).waitFor({ state: 'detached' })
      assert.equal(await windowOf(), 128_000)
    }))

  test('JSON shows what will be sent, and sends only that', () =>
    inTab('settings', async page => {
      await page.getByRole('radio', { name: 'JSON' }).check()
      const text = page.getByRole('textbox', { name: 'Settings as JSON' })
      await text.fill((await text.inputValue()).replace('"withinMinutes": 10', '"withinMinutes": 25'))
      const sent = await page.getByRole('region', { name: 'What will be sent' }).locator('pre').textContent()
      assert.deepEqual(JSON.parse(sent ?? ''), { resume: { withinMinutes: 25 } })
      await page.getByRole('button', { name: 'Save' }).click()
      await isSaved(page)
      assert.equal(await setting(page, 'resume', 'withinMinutes'), 25)
    }))

  test('a policy is copied, changed with a slider, and tried on a chat', () =>
    inTab('', async page => {
      for (const each of [1, 2, 3]) {
        await say(page, `message number ${each}`)
        await answered(page, each)
      }
      await page.goto(`${gateway.url}/#/policies`)
      await page.locator('[data-policy="recent"]').getByRole('button', { name: /copy/i }).click()
      const slider = page.getByRole('slider', { name: 'Messages before the new one' })
      await slider.focus()
      await slider.press('Home')
      await slider.press('ArrowRight')
      const figures = page.getByRole('table', { name: 'What the next request would send' })
      await figures
        .locator('[data-figure="sent"] td')
        .nth(1)
        .filter({ hasText: /^[12] of [67]$/ })
        .waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await isSaved(page)
      assert.deepEqual(await setting(page, 'policies'), {
        'my-recent': { extends: 'recent', window: { kind: 'last', messages: 1 } },
      })
    }))

  test('a skill is turned off, and a rule means all tools that begin the same way', () =>
    inTab('skills', async page => {
      await page.getByRole('switch', { name: 'poems' }).click()
      await page.locator('[data-skill="poems"][data-off="true"]').waitFor()
      assert.deepEqual(await setting(page, 'skills', 'disabled'), ['poems'])
      await page.getByRole('textbox', { name: 'Tool or pattern' }).fill('files__*')
      await page.getByLabel('What the new rule says').selectOption('auto')
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page.locator('[data-rule="files__*"]').waitFor()
      assert.deepEqual(await setting(page, 'tools', 'approve'), { 'files__*': 'auto' })
    }))

  for (const [name, width] of [
    ['wide', 1280],
    ['on a phone', 390],
  ] as const)
    test(`${name}, every page of settings can be read by everybody`, () =>
      inTab(
        'settings',
        async page => {
          for (const place of ['settings', 'policies/my-recent', 'skills']) {
            await page.goto(`${gateway.url}/#/${place}`)
            await page.locator('.workspace-page .form-control').first().waitFor()
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${place} fits`)
            const { violations } = await new AxeBuilder({ page }).analyze()
            assert.deepEqual(
              violations.map(({ id, nodes }) => `${place}: ${id} ${nodes[0]?.html}`),
              [],
            )
          }
        },
        width,
      ))
})
