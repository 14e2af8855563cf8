// Resources, prompts and tools of a real MCP server are used on the page, and a provider is sent what was chosen.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { type Fake, startFake } from '../../../src/testing/index.ts'
import { answered, say } from '../support/acts.ts'
import { openBrowser, openTab } from '../support/browser.ts'
import { buildPage, type Gateway, startGateway } from '../support/gateway.ts'

const opened = await openBrowser()
const child = join(dirname(dirname(import.meta.dirname)), 'tool/mcp-child.ts')
const TALK = { command: process.execPath, args: [child, 'talkative'] }

const WIDE = { width: 1280, height: 844 }
const PHONE = { width: 390, height: 844 }

/** A server that is gone is an answer, not a fault of the page. */
const GONE = /status of (404|502)/

describe('what MCP servers offer, on the page', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let model: Fake

  before(async () => {
    buildPage()
    model = await startFake({ wire: 'openai' })
    const settings = {
      model: 'compatible/fake/model',
      providers: { fake: { baseURL: model.url } },
      titles: { auto: false },
      mcp: { talk: TALK },
    }
    gateway = await startGateway({}, settings, home =>
      writeFile(join(home, 'agents.json'), JSON.stringify({ agents: { ann: { name: 'Ann', prompt: 'You ask.' } } })),
    )
    // A server offers nothing before it is up.
    await inTab('mcp', page => page.locator('[data-server="talk"]').getByRole('status').filter({ hasText: 'Ready' }).waitFor())
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
    await model?.close()
  })

  const inTab = async (place: string, act: (page: Page) => Promise<void>): Promise<void> => {
    const tab = await openTab(browser, gateway.url, { viewport: WIDE }, GONE)
    try {
      await tab.page.goto(`${gateway.url}/#/${place}`)
      await act(tab.page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }
  /** Also on a phone. */
  const isReadable = async (page: Page, what: string): Promise<void> => {
    const fits = (): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
    assert.ok(await fits(), `${what} fits`)
    await page.setViewportSize(PHONE)
    assert.ok(await fits(), `${what} fits on a phone`)
    const { violations } = await new AxeBuilder({ page }).analyze()
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${what}: ${id} ${nodes[0]?.html}`),
      [],
    )
    await page.setViewportSize(WIDE)
  }
  const openResources = async (page: Page): Promise<void> => {
    const attach = page.getByRole('button', { name: 'Attach files' })
    // Where the gateway takes longer than a browser waits, the dialog for files opens instead of the menu.
    const again = (): Promise<void> => attach.press('Enter')
    page.on('filechooser', again)
    await again()
    await page.getByRole('menuitem', { name: 'Files from this device …' }).waitFor()
    page.off('filechooser', again)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /plan/ }).waitFor()
  }
  /** The last request of a chat, as the provider was sent it. */
  const sent = (): { readonly body: string; readonly tools: readonly string[] } => {
    const { body, json } = model.requests.filter(({ path }) => path.endsWith('/chat/completions')).at(-1) ?? {
      body: '',
      json: {},
    }
    const { tools = [] } = json as { tools?: readonly { readonly function: { readonly name: string } }[] }
    return { body, tools: tools.map(each => each.function.name) }
  }

  test('a resource and a prompt go into a message by keyboard', () =>
    inTab('', async page => {
      const message = page.getByRole('textbox', { name: 'Message' })
      await message.waitFor()
      await openResources(page)
      await isReadable(page, 'the list of resources')
      await page.keyboard.type('what do')
      await page.keyboard.press('Enter')
      const files = page.getByRole('list', { name: 'Attached files' })
      await files.getByText('plan b.txt').waitFor()

      await message.pressSequentially('/rev')
      await page.getByRole('option', { name: /\/talk:review/ }).waitFor()
      await isReadable(page, 'the list after a slash')
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'talk:review' })
      await dialog.waitFor()
      await page.waitForFunction(() => document.activeElement?.closest('dialog, [role="dialog"]') != null)
      await page.keyboard.press('Enter')
      await dialog.getByText('This is required.').waitFor()
      await isReadable(page, 'the arguments')
      await page.keyboard.type('let x')
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await files.getByText('style.md').waitFor()
      assert.equal(await message.inputValue(), 'Review this: let x')
      assert.ok(await message.evaluate(field => field === document.activeElement), 'the person goes on typing')

      await page.keyboard.press('Enter')
      await answered(page, 1)
      const { body, tools } = sent()
      for (const text of ['Review this: let x', 'Feed the cat.', '# Style', 'plan b.txt']) assert.ok(body.includes(text), text)
      assert.deepEqual(tools, ['talk__nod', 'talk__shake'])
    }))

  test('an agent that is limited on the page is sent only its tools', () =>
    inTab('agents/ann', async page => {
      const part = page.locator('[data-part="tools"]')
      await part.getByRole('radio', { name: 'Only these' }).check()
      await part.getByRole('checkbox', { name: /talk__\*/ }).check()
      const sum = page.locator('.equipment-head [role="status"]')
      assert.match((await sum.textContent()) ?? '', /about \d+ tokens per request/)
      await part.getByRole('checkbox', { name: /talk__\*/ }).uncheck()
      await part.getByText('Single tools').click()
      await part.getByRole('checkbox', { name: /talk__nod/ }).check()
      await isReadable(page, 'the tools of an agent')
      await page.keyboard.press('Control+s')
      await page.getByText('Saved', { exact: true }).waitFor()
      const kept = await (await page.request.get(`${gateway.url}/api/agents/ann`)).json()
      assert.deepEqual([kept.tools, kept.skills], [['talk__nod'], undefined])
      await page.goto(`${gateway.url}/#/`)
      await say(page, 'hello')
      await answered(page, 1)
      assert.deepEqual(sent().tools, ['talk__nod'])
    }))

  test('what a server has can be looked at, and one that goes away meanwhile is said', () =>
    inTab('mcp', async page => {
      const card = page.locator('[data-server="talk"]')
      await card.getByText('Resources of talk').click()
      await card.getByText('notes://cat.png').waitFor()
      await card.getByText('Prompts of talk').click()
      await card.getByText('/talk:review').waitFor()
      await card.getByText('code, tone (optional)').waitFor()
      await isReadable(page, 'the page of servers')

      await page.goto(`${gateway.url}/#/`)
      await openResources(page)
      await page.request.patch(`${gateway.url}/api/settings`, { data: { mcp: { talk: null } } })
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('“plan” was not attached').waitFor()

      const asked: string[] = []
      page.on('request', request => asked.push(new URL(request.url()).pathname))
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Attach files' }).click()
      await chooser
      await page.getByRole('textbox', { name: 'Message' }).pressSequentially('/n')
      await page.getByRole('option', { name: /^\/new/ }).waitFor()
      assert.deepEqual(
        asked.filter(path => path.includes('/mcp')),
        ['/api/mcp', '/api/mcp'],
        'one list for each menu',
      )
    }))
})
