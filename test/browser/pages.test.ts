// The pages beside the conversations, in a real browser on a real workspace: what is edited there is in its files.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { answered, lastReply, say } from './support/acts.ts'
import { openBrowser, openTab, type Tab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

const NO_KEYS = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', OPENROUTER_API_KEY: '', OLLAMA_HOST: 'http://127.0.0.1:9' }
const opened = await openBrowser()

describe('the pages beside the conversations', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let home = ''

  before(async () => {
    buildPage()
    gateway = await startGateway(NO_KEYS, undefined, async folder => {
      home = folder
    })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  /** A tab at an address, and nothing to complain of in the end. */
  async function at(hash: string, act: (page: Page) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
    const tab: Tab = await openTab(browser, gateway.url, options, /status of 40[04]/)
    try {
      await tab.page.goto(`${gateway.url}/#/${hash}`)
      await act(tab.page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }
  const put = async (page: Page, path: string, data: object): Promise<void> => {
    const put = await page.request.put(`${gateway.url}/api/${path}`, { data })
    assert.equal(put.status(), 200, await put.text())
  }
  const agentsFile = async (): Promise<Record<string, Record<string, unknown>>> => {
    const text = await readFile(join(home, 'agents.json'), 'utf8')
    return JSON.parse(text.replace(/^\s*\/\/.*$/gm, '')).agents
  }

  test('by keyboard alone an agent is made, told what is missing, written to its file, and answers', () =>
    at('agents', async page => {
      await page.getByRole('link', { name: 'New agent' }).waitFor()
      await tabTo(page, 'New agent')
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'Name' }).waitFor()
      await tabTo(page, 'Name')
      await page.keyboard.type('Grace Hopper')
      assert.equal(await page.getByRole('textbox', { name: 'Key' }).inputValue(), 'grace-hopper')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('Something is not right yet').waitFor()
      const prompt = page.getByRole('textbox', { name: 'Prompt' })
      assert.equal(await prompt.getAttribute('aria-invalid'), 'true')
      assert.match(await describedBy(page, 'Prompt'), /must not be empty/i)
      await tabTo(page, 'Prompt')
      await page.keyboard.type('You are Grace.')
      await page.keyboard.press('Control+s')
      await page.waitForURL(/#\/agents\/grace-hopper$/)
      assert.deepEqual((await agentsFile())['grace-hopper'], { name: 'Grace Hopper', prompt: 'You are Grace.' })
      await page.getByText('Its name in agents.json').waitFor()
      await tabTo(page, 'Start a conversation with Grace Hopper')
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      await say(page, 'hello')
      await answered(page, 1)
      assert.match(await lastReply(page), /This is Grace Hopper|This is grace-hopper/)
    }))

  test('an edited agent is another one from its next turn on; unsaved words wait while one looks elsewhere', () =>
    at('agents', async page => {
      await put(page, 'agents/ada', { name: 'Ada', prompt: 'You are the old Ada.' })
      await page.reload()
      await page.getByRole('link', { name: 'Ada', exact: true }).click()
      const prompt = page.getByRole('textbox', { name: 'Prompt' })
      await prompt.fill('You are the new Ada.')
      await page.getByRole('radio', { name: 'Violet' }).check()
      await page.getByText('Unsaved changes').waitFor()
      await go(page, 'policies')
      await page.getByRole('heading', { name: 'steady' }).waitFor()
      await go(page, 'agents/ada')
      assert.equal(await prompt.inputValue(), 'You are the new Ada.')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
      assert.deepEqual((await agentsFile()).ada, { name: 'Ada', prompt: 'You are the new Ada.', color: '#7355d7' })
      const session = await (await page.request.post(`${gateway.url}/api/sessions`, { data: { agent: 'ada' } })).json()
      const dry = await page.request.post(`${gateway.url}/api/sessions/${session.id}/context`, { data: { text: 'Who?' } })
      assert.match(JSON.stringify((await dry.json()).request.body), /You are the new Ada\./)
    }))

  test('what somebody else changed meanwhile is told, and overwritten only by a second word', () =>
    at('agents/cy', async page => {
      await page.getByRole('alert').getByText('there is no agent "cy"').waitFor()
      await put(page, 'agents/cy', { name: 'Cy', prompt: 'First.' })
      await page.getByRole('button', { name: 'Try again' }).click()
      const prompt = page.getByRole('textbox', { name: 'Prompt' })
      await prompt.fill('Mine.')
      await put(page, 'agents/cy', { name: 'Cy', prompt: 'Theirs.' })
      await page.getByRole('button', { name: 'Save' }).click()
      const told = page.getByRole('alert').filter({ hasText: 'changed by somebody else' })
      await told.waitFor()
      assert.equal((await agentsFile()).cy?.prompt, 'Theirs.')
      await told.getByRole('button', { name: 'Reload theirs' }).click()
      assert.equal(await prompt.inputValue(), 'Theirs.')

      await prompt.fill('Mine again.')
      await put(page, 'agents/cy', { name: 'Cy', prompt: 'Theirs again.' })
      await page.getByRole('button', { name: 'Save' }).click()
      await told.getByRole('button', { name: 'Overwrite with mine' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
      assert.equal((await agentsFile()).cy?.prompt, 'Mine again.')

      await go(page, 'agents/~new')
      await page.getByRole('textbox', { name: 'Name' }).fill('Cy')
      await prompt.fill('Another.')
      const key = page.getByRole('textbox', { name: 'Key' })
      assert.equal(await key.inputValue(), 'cy-2', 'a key that nobody has')
      await key.fill('cy')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('There already is one').waitFor()
      await key.fill('cyrus')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/#\/agents\/cyrus$/)
      const { cy, cyrus } = await agentsFile()
      assert.deepEqual([cy?.prompt, cyrus?.prompt], ['Mine again.', 'Another.'])
    }))

  test('an agent is copied, taken out as a file, brought back, and deleted', () =>
    at('agents', async page => {
      await put(page, 'agents/di', { name: 'Di', prompt: 'You are Di.', policy: 'recent' })
      await page.reload()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export Di', exact: true }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'di.agent.json')
      const text = await readFile(await download.path(), 'utf8')
      assert.deepEqual(JSON.parse(text), { key: 'di', name: 'Di', prompt: 'You are Di.', policy: 'recent' })
      await page.getByLabel('Import').setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{') })
      await page.getByRole('alert').getByText('The file is not JSON.').waitFor()
      await page.getByLabel('Import').setInputFiles({ name: 'di.json', mimeType: 'application/json', buffer: Buffer.from(text) })
      await page.waitForURL(/#\/agents\/di-2$/)
      await go(page, 'agents')
      await page.getByRole('button', { name: 'Duplicate Di', exact: true }).first().click()
      await page.waitForURL(/#\/agents\/di-copy$/)
      assert.deepEqual((await agentsFile())['di-copy'], { name: 'Di (copy)', prompt: 'You are Di.', policy: 'recent' })
      await page.getByRole('button', { name: 'Delete this agent' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.waitForURL(/#\/agents$/)
      await page.getByRole('link', { name: 'Di', exact: true }).first().waitFor()
      assert.equal((await agentsFile())['di-copy'], undefined)
    }))

  test('a project is made, its text is in its folder, and its conversations are one step away', () =>
    at('projects/~new', async page => {
      const name = page.getByRole('textbox', { name: 'Name' })
      await name.fill('../outside')
      assert.match(await describedBy(page, 'Name'), /begins with a letter/)
      await name.fill('Launch')
      await page.getByRole('textbox', { name: 'Context' }).fill('We launch in spring.')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/#\/projects\/Launch$/)
      assert.equal(await readFile(join(home, 'projects/Launch/CONTEXT.md'), 'utf8'), 'We launch in spring.')
      await page.getByRole('link', { name: 'Show its conversations' }).click()
      await say(page, 'hello')
      await answered(page, 1)
      const { items } = await (await page.request.get(`${gateway.url}/api/sessions?project=Launch`)).json()
      assert.equal(items.length, 1)
    }))

  test('usage shows what was just used, as bars and as numbers', () =>
    at('', async page => {
      await say(page, 'say 20 words')
      await answered(page, 1)
      // What the page was told, not what is true a moment before or after: a title may just be on its way.
      const told = page.waitForResponse(response => response.url().includes('/api/usage?since='))
      await go(page, 'usage')
      const { total } = await (await told).json()
      assert.ok(total.requests > 0)
      const row = page.getByRole('table', { name: 'Usage by model' }).getByRole('row', { name: /^demo/ })
      await row.waitFor()
      assert.match((await row.textContent()) ?? '', new RegExp(`${total.input.toLocaleString('en')}.*${total.requests}\\$0$`))
      const bar = page.getByRole('button', { name: /demo \$0, [\d,]+ tokens/ })
      await bar.focus()
      await page.locator('.chart-words').getByText('demo $0').waitFor()
      await page.getByRole('radio', { name: 'All' }).check()
      await row.waitFor()
    }))

  test('a provider that cannot be used says why, and offers to connect', () =>
    at('models', async page => {
      for (const [name, words] of [
        ['Anthropic', 'No key'],
        ['OpenAI', 'No key'],
        ['Ollama', 'Not reachable'],
      ] as const) {
        const row = page.getByRole('listitem', { name, exact: true })
        await row.getByText(words, { exact: true }).waitFor()
        assert.equal(await row.getByText('Ready', { exact: true }).count(), 0)
      }
      await page.getByRole('textbox', { name: 'Filter' }).fill('demo tools')
      await page.getByText('1 of').waitFor()
      await page.getByRole('rowheader', { name: /^demo/ }).waitFor()
      assert.equal(await page.getByRole('table', { name: 'Models of Anthropic' }).count(), 0)
    }))

  test('what cannot be read is told, and read when asked again', () =>
    at('', async page => {
      await page.route('**/api/skills', route =>
        route.fulfill({ status: 404, json: { title: 'Not found', detail: 'It is gone.' } }),
      )
      await go(page, 'skills')
      await page.getByRole('alert').getByText('It is gone.').waitFor()
      await page.unroute('**/api/skills')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('.chip', { hasText: 'runs without asking' }).first().waitFor()
      await page.getByText('in full +').first().waitFor()
    }))

  for (const colorScheme of ['light', 'dark'] as const)
    for (const [size, viewport] of Object.entries({ wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 640 } }))
      test(`${size} and ${colorScheme}, an editor with something to say, a chart and its table stand in nobody’s way`, () =>
        at(
          'agents/~new',
          async page => {
            const look = async (name: string): Promise<void> => {
              assert.deepEqual(await findings(page), [], name)
              assert.ok(await fits(page), `${name} is wider than the screen`)
            }
            await page.getByRole('textbox', { name: 'Name' }).fill('Eve')
            await page.getByRole('button', { name: 'Save' }).click()
            await page.getByRole('alert').waitFor()
            await look('editor')
            await page.getByRole('button', { name: 'Discard' }).click()
            await page.route('**/api/usage*', route => route.fulfill({ json: { items: SOME_USAGE } }))
            await go(page, 'usage')
            await page.getByText('The same as a table').click()
            await page.getByText('at least $0.75').first().waitFor()
            await look('usage')
            await go(page, 'models')
            await page.locator('.workspace-page details summary').first().click()
            await look('models')
          },
          { viewport, colorScheme },
        ))
})

const today = new Date().toISOString().slice(0, 10)
const SOME_USAGE = [
  { day: today, model: 'anthropic/one', input: 1200, output: 300, cacheRead: 9000, cacheWrite: 40, costUsd: 0.5, requests: 3 },
  { day: today, model: 'openai/two', input: 700, output: 90, cacheRead: 0, cacheWrite: 0, costUsd: 0.25, requests: 2 },
  {
    day: today,
    model: 'compatible/attic/three',
    input: 700,
    output: 90,
    cacheRead: 0,
    cacheWrite: 0,
    costUsd: null,
    requests: 1,
  },
]

const go = (page: Page, hash: string): Promise<void> =>
  page.evaluate(to => {
    location.hash = to
  }, `#/${hash}`)

/** Goes on with Tab until the control of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let times = 0; times < 120; times += 1) {
    await page.keyboard.press('Tab')
    const reached = await page.evaluate(() => {
      const { activeElement: at } = document
      const label =
        at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement ? at.labels?.[0]?.textContent : at?.textContent
      return label?.trim() ?? ''
    })
    if (reached === name) return
  }
  assert.fail(`the keyboard does not get to “${name}”`)
}

/** What a screen reader says about a field beside its name. */
const describedBy = (page: Page, name: string): Promise<string> =>
  page.getByRole('textbox', { name }).evaluate(field =>
    (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map(id => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  )

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).include('.workspace-page').analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}

const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const box = document.querySelector('.workspace-page')
    return document.documentElement.scrollWidth <= innerWidth && (box === null || box.scrollWidth <= box.clientWidth)
  })
