// A page of somebody else with the real `useChat`, on an origin of its own, against our door.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { openBrowser } from './support/browser.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

const opened = await openBrowser()

describe('a page with useChat', { skip: 'why' in opened ? opened.why : false }, async () => {
  const browser = opened as Browser
  const script = await bundled()
  const elsewhere = createServer((request, response) => {
    const isScript = request.url === '/main.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(
      isScript ? script : '<!doctype html><title>Elsewhere</title><body><script type="module" src="/main.js"></script>',
    )
  }).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  const origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  const settings = { gateway: { origins: [origin] } }
  const gateway: Gateway = await startGateway({ TURNWISE_DEMO_DELAY_MS: '20' }, settings)
  after(async () => {
    await browser.close()
    elsewhere.close()
    await gateway.stop()
  })

  const opening = async (): Promise<{ readonly page: Page; readonly path: string; readonly complaints: string[] }> => {
    const headers = { 'content-type': 'application/json' }
    const made = await fetch(`${gateway.url}/api/sessions`, { method: 'POST', headers, body: '{}' })
    const { id } = (await made.json()) as { id: string }
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('pageerror', cause => complaints.push(cause.message))
    await page.goto(`${origin}/?${new URLSearchParams({ gateway: gateway.url, session: id })}`)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    return { page, path: `${gateway.url}/api/sessions/${id}`, complaints }
  }
  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
  }
  const isReady = (page: Page): Promise<void> => page.locator('main[data-status=ready]').waitFor()
  const lastReply = (page: Page): Promise<string | null> => page.locator('article.assistant').last().textContent()

  test('talks, and knows what was said after a reload', async () => {
    const { page, complaints } = await opening()
    await say(page, 'hello')
    await page.locator('article.assistant').waitFor()
    await isReady(page)
    await say(page, 'what was my first message?')
    await page.locator('article.assistant').nth(1).waitFor()
    await isReady(page)
    assert.match((await lastReply(page)) ?? '', /hello/)
    const before = await page.locator('main').textContent()
    await page.reload()
    await page.locator('article.assistant').nth(1).waitFor()
    assert.equal(await page.locator('main').textContent(), before)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('reloaded in the middle of an answer, it goes on hearing it, and every word is there once', async () => {
    const { page, path, complaints } = await opening()
    await say(page, 'say 250 words')
    await page.waitForFunction(() => (document.querySelector('article.assistant')?.textContent ?? '').split(' ').length > 10)
    await page.reload()
    await page.locator('main[data-status=streaming]').waitFor()
    await isReady(page)
    const { items } = (await (await fetch(`${path}/events`)).json()) as { items: { type: string; parts?: { text: string }[] }[] }
    const said = items.find(({ type }) => type === 'reply.finished')?.parts?.[0]?.text
    assert.equal(await lastReply(page), said)
    assert.equal(await page.locator('article').count(), 2)
    assert.equal(items.filter(({ type }) => type === 'turn.started').length, 1)
    assert.deepEqual(complaints, [])
    await page.close()
  })
})

async function bundled(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, target: 'es2024', rollupOptions: { input: `${import.meta.dirname}/use-chat/main.tsx` } },
  })
  const outputs = Array.isArray(built) ? built : [built]
  for (const each of outputs)
    if ('output' in each) for (const piece of each.output) if (piece.type === 'chunk' && piece.isEntry) return piece.code
  throw new Error('the page was not built')
}
