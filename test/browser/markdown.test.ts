// What a model writes with a few marks, as a person reads it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { type Fake, startFake } from '../../src/testing/index.ts'
import { answered, lastReply } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

const root = dirname(dirname(import.meta.dirname))

/** Pictures to look at; git does not keep them. */
const SCREENS = join(root, 'test-results/screens')

const SIZES = { wide: { width: 1280, height: 1600 }, narrow: { width: 360, height: 1600 } } as const

const CODE = `export async function greet(name: string): Promise<string> {
  return \`Hello \${name}\` // ${'a long line '.repeat(12)}
}`

const REPLY = `# A heading

Some **bold**, *soft* and ~~struck~~ words, \`code\`, a [link](https://a.example/b), one that lies: [bank.example](https://b.example/)
and ![a picture](https://a.example/c.png).

3. three
4. four
   - nested

- [x] done
- [ ] to do

> A quote

| Name | Amount | Note |${' More |'.repeat(6)}
|:--|--:|:-:|${'---|'.repeat(6)}
| Apples | 12 | ${'a long cell '.repeat(20)} |
| Pears | 3 | x |

\`\`\`ts
${CODE}
\`\`\`

A sum of $5 and $10, a formula $e^{i\\pi} + 1 = 0$, and one that is none: $\\nothing{x}$

$$
${'\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2} \\qquad '.repeat(4)}
$$

<b>raw</b>`

const opened = await openBrowser()

describe('Markdown on the page', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let model: Fake

  before(async () => {
    buildPage()
    await mkdir(SCREENS, { recursive: true })
    model = await startFake({ wire: 'openai' })
    gateway = await startGateway({}, { model: 'compatible/fake/model', providers: { fake: { baseURL: model.url } } })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
    await model?.close()
  })

  const told = async (page: Page, text: string): Promise<void> => {
    const made = await page.request.post(`${gateway.url}/api/sessions`, { data: { title: 'Markdown' } })
    const { id } = (await made.json()) as { id: string }
    await page.goto(`${gateway.url}/#/s/${id}`)
    model.say({ says: [{ type: 'text', text }], every: 20 })
    await page.request.post(`${gateway.url}/api/sessions/${id}/messages`, { data: { text: 'hello' } })
    await answered(page, 1)
  }

  test('everything is drawn, reached by keyboard, and stays within its column', async () => {
    const { page, complaints, close } = await openTab(browser, gateway.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await told(page, REPLY)
    const reply = page.locator('.reply .markdown')
    await reply.locator('.hljs-keyword').first().waitFor()
    await reply.locator('.katex-display math').waitFor({ state: 'attached' })

    assert.deepEqual(await reply.locator('h3').allTextContents(), ['A heading'])
    assert.equal(await reply.locator('ol').getAttribute('start'), '3')
    assert.deepEqual(await reply.getByRole('checkbox', { name: 'done' }).isChecked(), true)
    assert.deepEqual(await reply.getByRole('checkbox', { name: 'to do' }).isDisabled(), true)
    assert.equal(await reply.locator('img').count(), 0)
    assert.equal(await reply.getByRole('link', { name: 'Image: a picture' }).getAttribute('href'), 'https://a.example/c.png')
    assert.equal(await reply.getByRole('link', { name: 'link', exact: true }).getAttribute('rel'), 'noopener noreferrer nofollow')
    assert.deepEqual(await reply.locator('.real-host').allTextContents(), [' (b.example)', ' (a.example)'])
    assert.equal(await reply.locator('.formula code').textContent(), '$\\nothing{x}$')
    assert.equal(await reply.locator('.katex').count(), 2)
    assert.equal(await reply.locator('p').last().textContent(), '<b>raw</b>')

    assert.equal(await reply.locator('pre').textContent(), CODE)
    await reply.getByRole('button', { name: 'Copy this code' }).click()
    await reply.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), CODE)

    const code = reply.getByRole('region', { name: 'Code in TypeScript' })
    await code.focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => (document.querySelector('.code-box')?.scrollLeft ?? 0) > 0)
    const wrap = reply.getByRole('button', { name: 'Wrap long lines' })
    await wrap.click()
    assert.equal(await wrap.getAttribute('aria-pressed'), 'true')
    await code.waitFor({ state: 'detached' })

    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(SCREENS, `${size}-${colorScheme}-markdown.png`) })
        const { violations } = await new AxeBuilder({ page }).include('.markdown').analyze()
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`),
          [],
          `${size} and ${colorScheme}`,
        )
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          'nothing is wider than the screen',
        )
      }
    }
    await reply.getByRole('region', { name: 'Table' }).waitFor()
    await reply.getByRole('region', { name: 'Formula' }).waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a plain reply has exactly its words', async () => {
    const { page, complaints, close } = await openTab(browser, gateway.url)
    const words = 'calm river  under\na wide sky\n\ncarries 2 * 3 small_boats_to the sea'
    await told(page, words)
    assert.equal(await lastReply(page), words)
    assert.deepEqual(complaints, [])
    await close()
  })

  test('what is fetched for formulas is ours, and in one format', () => {
    const assets = globSync('web/dist/assets/*', { cwd: root })
    assert.ok(assets.some(file => extname(file) === '.woff2'))
    assert.deepEqual(
      assets.filter(file => !['.js', '.css', '.woff2'].includes(extname(file))),
      [],
    )
    for (const file of assets.filter(file => extname(file) === '.css')) {
      assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /url\(["']?(?:data|https?):/)
    }
  })
})
