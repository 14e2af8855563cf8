import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { type Fake, type FakeModel, startFake } from '../../../src/testing/index.ts'
import { answered, lastReply, say } from '../support/acts.ts'
import { openBrowser, openTab } from '../support/browser.ts'
import { buildPage, type Gateway, startGateway } from '../support/gateway.ts'

/** Pictures to look at; git does not keep them. */
const SCREENS = join(dirname(dirname(dirname(import.meta.dirname))), 'test-results/screens')
const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const
const LOOKS = [
  ['wide', 'light'],
  ['wide', 'dark'],
  ['narrow', 'light'],
  ['narrow', 'dark'],
] as const satisfies readonly (readonly [keyof typeof SIZES, 'light' | 'dark'])[]
/** For places made of the same parts as those that are looked at in all four. */
const TWO_LOOKS = LOOKS.filter(([size, scheme]) => (size === 'wide') === (scheme === 'light'))
const [WRONG_KEY, RIGHT_KEY, NEXT_KEY] = ['sk-ant-decoy-wrong-0000', 'sk-ant-decoy-right-1111', 'sk-ant-decoy-next-2222']
/** No key of the machine that runs the tests is looked at. */
const NO_KEYS = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', OPENROUTER_API_KEY: '' }

const opened = await openBrowser()

describe('the first run', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  const accepted: string[] = [RIGHT_KEY]
  let fakes: Record<'anthropic' | 'ollama' | 'lan', Fake>

  const speaking = (text: string) => ({
    script: { says: [{ type: 'text' as const, text }], every: 40, usage: { input: 1200, output: 4 } },
  })

  before(async () => {
    buildPage()
    await mkdir(SCREENS, { recursive: true })
    fakes = {
      anthropic: await startFake({
        ...speaking('Anthropic speaking.'),
        wire: 'anthropic',
        keys: accepted,
        models: [{ name: 'claude-decoy-large', capabilities: ['vision', 'thinking'] }, { name: 'claude-decoy-small' }],
      }),
      ollama: await startFake({ ...speaking('Ollama speaking.'), wire: 'ollama', models: [{ name: 'llama-decoy:8b' }] }),
      lan: await startFake({ ...speaking('The server speaking.'), wire: 'openai', models: [{ name: 'qwen-decoy' }] }),
    }
  })
  after(async () => {
    await browser.close()
    for (const fake of Object.values(fakes ?? {})) await fake.close()
  })

  /** An empty workspace of its own, and where it is. */
  async function emptyGateway(ollama = fakes.ollama.url): Promise<Gateway & { readonly home: string }> {
    let home = ''
    const gateway = await startGateway({ ...NO_KEYS, OLLAMA_HOST: ollama }, undefined, async folder => {
      home = folder
    })
    return { ...gateway, home }
  }

  test('from the demo to three providers and back to a revoked key, without a restart or a file', async () => {
    const gateway = await emptyGateway()
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    const heard = answersOf(page)
    const dialog = page.getByRole('dialog')
    try {
      await page.goto(gateway.url)
      const card = page.getByRole('region', { name: 'You are talking to a demo' })
      for (const name of ['Anthropic', 'OpenAI', 'OpenRouter', 'Gemini', 'LM Studio', 'vLLM', 'llama.cpp', 'Other server'])
        await card.getByRole('button', { name }).waitFor()
      await card.getByRole('button', { name: 'Ollama Running here: 1 model' }).waitFor()
      await look(page, 'first-run-card')

      // The demo says what it is, and is a way in as well.
      await say(page, 'hello')
      await answered(page, 1)
      await page.getByText('This is the demo.').waitFor()
      await page.getByRole('button', { name: 'Connect a model' }).click()
      await look(page, 'first-run-choices', TWO_LOOKS)
      await dialog.getByRole('button', { name: 'Anthropic' }).click()

      // A wrong key is said at once, and its provider is not ready.
      await dialog.getByText('Use another address').click()
      await dialog.getByLabel('Address').fill(fakes.anthropic.url)
      await dialog.getByLabel('Key', { exact: true }).fill(WRONG_KEY)
      await page.keyboard.press('Enter')
      await dialog.getByRole('alert').getByText('Anthropic refused the key').waitFor()
      assert.equal(await dialog.getByLabel('Key', { exact: true }).evaluate(field => field === document.activeElement), true)
      const states = await page.request.get(`${gateway.url}/api/providers`)
      const { items } = (await states.json()) as { items: { name: string; state: string }[] }
      assert.equal(items.find(({ name }) => name === 'anthropic')?.state, 'bad-key')
      await look(page, 'first-run-wrong-key')

      await dialog.getByLabel('Key', { exact: true }).fill(RIGHT_KEY)
      await page.keyboard.press('Enter')
      await dialog.getByRole('heading', { name: 'Anthropic is ready' }).waitFor()
      await dialog.getByRole('option', { name: /claude-decoy-large.*images/ }).click()
      await look(page, 'first-run-models')
      await dialog.getByRole('button', { name: 'Use this model' }).click()
      await dialog.waitFor({ state: 'detached' })
      await say(page, 'and now?')
      await answered(page, 2)
      assert.match(await lastReply(page), /Anthropic speaking/)
      assert.equal(await page.getByText('This is the demo.').count(), 0)

      // Ollama was found by itself.
      await page.evaluate(() => location.assign('#/models'))
      await page.getByRole('listitem', { name: 'Anthropic' }).getByText('Ready').waitFor()
      await look(page, 'first-run-providers', TWO_LOOKS)
      await page.getByRole('button', { name: 'Connect a provider' }).click()
      await dialog.getByRole('button', { name: 'Ollama Running here: 1 model' }).click()
      await dialog.getByRole('heading', { name: 'Ollama is ready' }).waitFor()
      await dialog.getByRole('button', { name: 'Use this model' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.goBack()
      await say(page, 'and you?')
      await answered(page, 3)
      assert.match(await lastReply(page), /Ollama speaking/)

      // A compatible server, from the model picker of the chat.
      const tune = page.getByRole('button', { name: /^Model and policy/ })
      await tune.click()
      await page.locator('#tune-model').click()
      await dialog.getByRole('combobox', { name: 'Model' }).waitFor()
      await look(page, 'first-run-picker')
      await page.getByRole('button', { name: 'Connect a provider' }).click()
      await dialog.getByRole('button', { name: 'Other server' }).click()
      await dialog.getByLabel('Name').fill('lan')
      await dialog.getByLabel('Address').fill(fakes.lan.url)
      await look(page, 'first-run-compatible', TWO_LOOKS)
      await page.keyboard.press('Enter')
      await dialog.getByRole('heading', { name: 'lan is ready' }).waitFor()
      await dialog.getByRole('button', { name: 'Use this model' }).click()
      await page.getByText('compatible/lan/qwen-decoy is the default model now.').waitFor()
      await say(page, 'and you, too?')
      await answered(page, 4)
      assert.match(await lastReply(page), /The server speaking/)

      // A key that was taken back: the reply says so and carries the way to another one.
      accepted.splice(0, 1, NEXT_KEY)
      await tune.click()
      await page.locator('#tune-model').click()
      await page.getByRole('option', { name: /claude-decoy-small/ }).click()
      await page.keyboard.press('Escape')
      await say(page, 'are you still there?')
      await page.getByRole('button', { name: 'Update key' }).waitFor()
      await look(page, 'first-run-update-key', TWO_LOOKS)
      await page.getByRole('button', { name: 'Update key' }).click()
      await dialog.getByLabel('Key', { exact: true }).fill(NEXT_KEY)
      await page.keyboard.press('Enter')
      await dialog.getByRole('heading', { name: 'Anthropic is ready' }).waitFor()
      await dialog.getByRole('button', { name: 'Keep compatible/lan/qwen-decoy' }).click()
      await say(page, 'once more')
      await page.getByText('Anthropic speaking.').nth(1).waitFor()

      const texts = [await page.content(), ...(await heard())]
      const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
      for (const key of [WRONG_KEY, RIGHT_KEY, NEXT_KEY])
        assert.deepEqual(
          [kept, ...texts].filter(text => text.includes(key)).map(text => text.slice(0, 200)),
          [],
        )
      const secrets = join(gateway.home, 'secrets.json')
      assert.match(await readFile(secrets, 'utf8'), new RegExp(NEXT_KEY))
      assert.equal((await stat(secrets)).mode & 0o777, 0o600)
      assert.ok((await readdir(gateway.home)).includes('turnwise.json'))
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
      await gateway.stop()
      accepted.splice(0, 1, RIGHT_KEY)
    }
  })

  test('an Ollama without models is checked again in place', async () => {
    const models: FakeModel[] = []
    await using ollama = await startFake({ wire: 'ollama', models })
    const gateway = await emptyGateway(ollama.url)
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    const dialog = page.getByRole('dialog')
    try {
      await page.goto(gateway.url)
      await page.getByRole('button', { name: 'Ollama Running here: no models yet' }).click()
      const again = dialog.getByRole('button', { name: 'Check again' })
      await again.click()
      await dialog.getByRole('status').getByText('Ollama still lists no models.').waitFor()
      models.push({ name: 'llama-decoy:8b' })
      await again.click()
      await dialog.getByRole('option', { name: /llama-decoy/ }).waitFor()
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
      await gateway.stop()
    }
  })

  test('on a phone in the dark, by keyboard alone', async () => {
    const gateway = await emptyGateway()
    const tab = await openTab(browser, gateway.url, { viewport: SIZES.narrow, colorScheme: 'dark' })
    const { page } = tab
    try {
      await page.goto(gateway.url)
      const ollama = page.getByRole('button', { name: 'Ollama Running here: 1 model' })
      await ollama.waitFor()
      for (let presses = 0; presses < 60; presses += 1) {
        if (await ollama.evaluate(button => button === document.activeElement)) break
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Ollama is ready' }).waitFor()
      const use = page.getByRole('button', { name: 'Use this model' })
      for (let presses = 0; presses < 20; presses += 1) {
        if (await use.evaluate(button => button === document.activeElement)) break
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => document.activeElement?.id === 'message')
      await page.keyboard.type('hello')
      await page.keyboard.press('Enter')
      await answered(page, 1)
      assert.match(await lastReply(page), /Ollama speaking/)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
      await gateway.stop()
    }
  })
})

/** Looks at a place wide and narrow, light and dark. */
async function look(page: Page, name: string, looks: readonly (typeof LOOKS)[number][] = [...LOOKS]): Promise<void> {
  for (const [size, colorScheme] of looks) {
    const what = `${size}-${colorScheme}-${name}`
    await page.setViewportSize(SIZES[size])
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(SCREENS, `${what}.png`) })
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    const words = found.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
    assert.deepEqual(words, [], what)
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    assert.equal(isTooWide, false, `${what} is wider than the screen`)
  }
  await page.setViewportSize(SIZES.wide)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Every JSON that the gateway answers from now on. */
function answersOf(page: Page): () => Promise<readonly string[]> {
  const texts: Promise<string>[] = []
  page.on('response', response => {
    if (/json/.test(response.headers()['content-type'] ?? '')) texts.push(response.text().catch(() => ''))
  })
  return () => Promise.all(texts)
}
