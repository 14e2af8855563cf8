// What can be done in a conversation: going back, going there, finding, and what happens in its turns.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { calls, says, scriptedProvider } from '../../src/testing/scripted.ts'
import { type PlainTool, toolbox } from '../../src/tool/toolbox.ts'
import { ask, engineWith, openSession } from '../support/engine.ts'
import { LONG_CHAT, writeLongChat } from '../support/long-chat.ts'
import { answered, bubbles, lastReply, say } from './support/acts.ts'
import { openBrowser, openTab, type Tab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

const LONG = 600
const opened = await openBrowser()

describe('the transcript', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let service: Service

  before(async () => {
    buildPage()
    service = await busyService()
    const providers = { lan: { baseURL: `${service.url}/v1` } }
    gateway = await startGateway({ ANTHROPIC_API_KEY: '' }, { providers }, async home => {
      await writeLongChat(home, LONG)
      cpSync('skills', join(home, 'skills'), { recursive: true })
    })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
    service?.server.close()
  })

  const inTab = async (use: (tab: Tab) => Promise<void>, expected?: RegExp): Promise<void> => {
    const tab = await openTab(browser, gateway.url, {}, expected)
    try {
      await tab.page.goto(gateway.url)
      await use(tab)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }

  test('a message said in other words is another version, and arrows lead back and forth, also after a reload', () =>
    inTab(async ({ page }) => {
      await say(page, 'say 3 words')
      await answered(page, 1)
      await say(page, 'say 4 words')
      await answered(page, 2)
      const original = page.url()
      const second = page.locator('.message').nth(1)
      await second.hover()
      await second.getByRole('button', { name: 'Edit and send again' }).click()
      const field = page.getByRole('textbox', { name: 'The message in other words' })
      assert.equal(await field.inputValue(), 'say 4 words')
      await field.fill('nothing')
      await page.keyboard.press('Escape')
      assert.deepEqual(await bubbles(page), ['say 3 words', 'say 4 words'])

      await second.getByRole('button', { name: 'Edit and send again' }).click()
      await field.fill('say 5 words')
      await page.keyboard.press('Enter')
      await page.waitForURL(address => address.href !== original)
      await answered(page, 2)
      assert.deepEqual(await bubbles(page), ['say 3 words', 'say 5 words'])
      const versions = page.getByRole('group', { name: 'Version 2 of 2' })
      await versions.waitFor()
      assert.deepEqual(await findings(page), [])
      await second.hover()
      // The arrows stand beside what can be done with the message, and not on it.
      await second.getByRole('button', { name: 'Edit and send again' }).click()
      await page.keyboard.press('Escape')

      await page.reload()
      await versions.getByRole('button', { name: 'Previous version' }).click()
      await page.getByRole('group', { name: 'Version 1 of 2' }).waitFor()
      assert.match(page.url().slice(original.length), /^\/\d+$/, 'the place in the conversation stays')
      assert.deepEqual(await bubbles(page), ['say 3 words', 'say 4 words'], 'the original is untouched')
      await page.getByRole('button', { name: 'Next version' }).click()
      await versions.waitFor()
      assert.deepEqual(await bubbles(page), ['say 3 words', 'say 5 words'])
    }))

  test('asking again gives another answer to the same message', () =>
    inTab(async ({ page }) => {
      await say(page, 'say 6 words')
      await answered(page, 1)
      const first = page.url()
      await page.locator('.reply').hover()
      await page.getByRole('button', { name: 'Ask again' }).click()
      await page.waitForURL(address => address.href !== first)
      await answered(page, 1)
      await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
      assert.equal((await lastReply(page)).trim().split(/\s+/).length, 6)
      assert.deepEqual(await bubbles(page), ['say 6 words'])
    }))

  test('an address of one message leads there in a long conversation, when it is opened and when it is open', () =>
    inTab(async ({ page }) => {
      await page.goto(`${gateway.url}/#/s/${LONG_CHAT}/501`)
      await here(page, 'This is question 101.')
      assert.ok((await page.locator('.passage').count()) < 60, 'only what is near is drawn')
      await page.evaluate(hash => location.assign(hash), `#/s/${LONG_CHAT}/1204`)
      await here(page, 'This is answer 241.')
      await page.getByRole('button', { name: 'Latest' }).click()
      await page.getByText(`This is answer ${LONG / 2}.`).waitFor()

      const scroller = page.getByRole('region', { name: 'Conversation', exact: true })
      await scroller.focus()
      await page.keyboard.press('Home')
      await page.getByText('This is question 1.').waitFor()
      await page.keyboard.press('PageDown')
      await page.waitForFunction(() => (document.querySelector('.scroller')?.scrollTop ?? 0) > 200)
      await page.keyboard.press('End')
      await page.getByText(`This is answer ${LONG / 2}.`).waitFor()
    }))

  test('a long conversation is opened at its end, and what is measured on the way up moves nothing', () =>
    inTab(async ({ page }) => {
      await page.goto(`${gateway.url}/#/s/${LONG_CHAT}`)
      await page.getByText(`This is answer ${LONG / 2}.`).waitFor()
      const jumps = await page.evaluate(async () => {
        const scroller = document.querySelector('.scroller')
        if (scroller === null) return ['no scroller']
        const found: string[] = []
        const frame = (): Promise<unknown> => new Promise(requestAnimationFrame)
        for (let times = 0; times < 60; times += 1) {
          const top = scroller.getBoundingClientRect().top
          const seen = [...document.querySelectorAll<HTMLElement>('.passage')].find(
            row => row.getBoundingClientRect().top > top + 150,
          )
          const before = seen?.getBoundingClientRect().top ?? 0
          scroller.scrollBy(0, -97)
          await frame()
          await frame()
          const moved = (seen?.getBoundingClientRect().top ?? 0) - before
          if (seen !== undefined && Math.abs(moved - 97) > 2) found.push(`${seen.dataset.row} moved by ${moved}`)
        }
        return found
      })
      assert.deepEqual(jumps, [])
    }))

  test('words are found also where nothing is drawn, and the browser’s own search comes when asked twice', () =>
    inTab(async ({ page }) => {
      await page.goto(`${gateway.url}/#/s/${LONG_CHAT}`)
      await page.getByText(`This is answer ${LONG / 2}.`).waitFor()
      await page.keyboard.press('Control+f')
      const field = page.getByRole('textbox', { name: 'Find in this conversation' })
      await field.fill('ANSWER 12')
      await page.getByText('11 found').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('11 of 11').waitFor()
      await page.getByText('This is answer 129.').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('10 of 11').waitFor()
      await page.keyboard.press('Shift+Enter')
      await page.getByText('11 of 11').waitFor()
      assert.equal(await page.evaluate(() => CSS.highlights.get('found-here')?.size), 1)
      assert.deepEqual(await findings(page), [])
      // Somebody listens before the key is pressed, and is asked afterwards.
      await page.evaluate(() => {
        const left = new Promise(resolve =>
          addEventListener('keydown', event => setTimeout(() => resolve(!event.defaultPrevented)), { once: true }),
        )
        Object.assign(globalThis, { left })
      })
      await page.keyboard.press('Control+f')
      assert.equal(await page.evaluate(() => Reflect.get(globalThis, 'left')), true)
      await page.keyboard.press('Escape')
      assert.equal(await field.count(), 0)
      assert.equal(await page.evaluate(() => document.activeElement?.className), 'scroller')
    }))

  test('thinking is folded with how long it took; numbers come on demand; a pin is set and taken away', () =>
    inTab(async ({ page }) => {
      await say(page, 'think about the sea')
      await answered(page, 1)
      const reply = page.locator('.reply')
      await reply
        .locator('.thinking')
        .getByText(/^Thought for (a moment|\d+ s)$/)
        .click()
      await reply.getByText('They want me to think about the sea').waitFor()
      await reply.getByRole('button', { name: 'Numbers of this reply' }).click()
      assert.match(
        (await reply.locator('.numbers').textContent()) ?? '',
        /Modeldemo.*Tokens in[\d,]+.*Tokens out[\d,]+.*Cost\$0.*Until the first word/,
      )
      await reply.getByRole('button', { name: 'Pin: send it every time' }).click()
      await page.getByRole('menuitemradio', { name: 'This chat' }).click()
      await reply.getByText('Pinned', { exact: true }).waitFor()
      await reply.getByRole('button', { name: 'Pinned: sent every time' }).click()
      await page.getByRole('menuitem', { name: 'Unpin' }).click()
      await reply.getByText('Pinned', { exact: true }).waitFor({ state: 'detached' })
      assert.deepEqual(await findings(page), [])
    }))

  test('a call asks in its place, also after a reload; who says no may say why, and the card says what came of it', () =>
    inTab(async ({ page }) => {
      await say(page, `use notes_create ${JSON.stringify({ name: 'Plan', text: 'milk' })}`)
      const question = page.getByRole('group', { name: 'Assistant asks: may notes_create run this?' })
      await question.waitFor()
      await page.reload()
      await question.getByText('any arguments, in this chat, while the tool is as shown').waitFor()
      assert.deepEqual(await findings(page), [])
      await question.getByRole('button', { name: 'Say why' }).click()
      await question.getByRole('textbox', { name: 'Why not?' }).fill('not today')
      await page.keyboard.press('Enter')
      await answered(page, 1)
      const card = page.locator('.tool')
      await card.getByText('name: Plan, text: milk').waitFor()
      await card.getByText(/^failed/).click()
      await card.getByText('not today').waitFor()
    }))

  test('a provider that asks to slow down is waited for with a countdown, then the turn is tried again', () =>
    inTab(async ({ page }) => {
      const made = await page.request.post(`${gateway.url}/api/sessions`, { data: { model: 'compatible/lan/small' } })
      const { id } = (await made.json()) as { id: string }
      await page.goto(`${gateway.url}/#/s/${id}`)
      await say(page, 'hello')
      await Promise.all([
        page.locator('.notice[data-kind="retrying"]').getByRole('timer').waitFor(),
        page.locator('.working').getByRole('timer').waitFor(),
      ])
      const reply = page.locator('.reply').last()
      await reply.getByText('Lan asked us to slow down (compatible/lan/small)').waitFor()
      await reply.getByText('Wait until lan takes requests again').waitFor()
      const button = reply.getByRole('button', { name: 'Try again' })
      assert.match((await reply.getByRole('timer').textContent()) ?? '', /^[1-3] s$/)
      assert.equal(await button.isDisabled(), true)
      assert.deepEqual(await findings(page), [])
      service.isBusy = false
      await reply.getByRole('timer').waitFor({ state: 'detached' })
      await button.click()
      await page.locator('.spoken').getByText('Here I am.').waitFor()
    }))

  test('a picture that came with a message is seen small, and larger when asked; a text file is read', () =>
    inTab(async ({ page }) => {
      const made = await page.request.post(`${gateway.url}/api/sessions`, { data: {} })
      const { id } = (await made.json()) as { id: string }
      const parts = [
        { type: 'image', name: 'dot.png', mediaType: 'image/png', data: DOT },
        { type: 'file', name: 'notes.md', mediaType: 'text/markdown', data: Buffer.from('# Oslo').toString('base64') },
        { type: 'file', name: `${'long'.repeat(25)}.md`, mediaType: 'text/markdown', data: Buffer.from('x').toString('base64') },
      ]
      const told = await page.request.post(`${gateway.url}/api/sessions/${id}/messages`, { data: { text: 'look', parts } })
      assert.equal(told.status(), 202, await told.text())
      await page.goto(`${gateway.url}/#/s/${id}`)
      await answered(page, 1)
      await drawnPicture(page.locator('.thumbnail img'))
      await page.getByRole('button', { name: 'Image dot.png, larger' }).click()
      await page.getByRole('dialog', { name: 'dot.png' }).getByRole('img', { name: 'dot.png' }).waitFor()
      assert.deepEqual(await findings(page), [])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'File notes.md' }).click()
      await page.getByRole('dialog', { name: 'notes.md' }).getByText('# Oslo').waitFor()
      await page.keyboard.press('Escape')
      await page.setViewportSize({ width: 360, height: 700 })
      const chips = await page.locator('.file-chip').evaluateAll(all => all.map(each => each.getBoundingClientRect().left))
      assert.ok(Math.min(...chips) >= 0, 'a long name is cut and does not leave the screen')
    }))

  test('a picture that a tool gave is in the card of its call, and larger when asked', () =>
    inTab(async ({ page }) => {
      const { id, archive } = await chatWithPicture()
      const imported = await page.request.post(`${gateway.url}/api/import`, {
        data: archive,
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(imported.status(), 200, await imported.text())
      await page.goto(`${gateway.url}/#/s/${id}`)
      const card = page.locator('.tool')
      await card.locator('summary').click()
      await card.getByText('[image png, 1 KB]').waitFor()
      await drawnPicture(card.locator('.thumbnail img'))
      assert.deepEqual(await findings(page), [])
      await card.getByRole('button', { name: 'Image page.png, larger' }).click()
      await page.getByRole('dialog', { name: 'page.png' }).getByRole('img', { name: 'page.png' }).waitFor()
    }))
})

/** An archive of a session in which a tool gave a picture. */
async function chatWithPicture(): Promise<{ readonly id: string; readonly archive: string }> {
  const shot: PlainTool = {
    spec: { name: 'shot', description: 'Takes a picture', parameters: { type: 'object' } },
    run: async () => ({
      ...{ ok: true, outcome: 'done', content: '[image png, 1 KB]' },
      images: [{ name: 'page.png', mediaType: 'image/png', data: DOT }],
    }),
  }
  const engine = engineWith({ provider: scriptedProvider([calls('shot', {}), says('Seen.')]), toolbox: toolbox([shot]) })
  const id = await openSession(engine)
  await ask(engine, id, 'Look at the page')
  const exported = await engine.export(id, 'json')
  assert.ok(exported.ok)
  let archive = ''
  for await (const piece of exported.value.pieces) archive += piece
  await engine.close()
  return { id, archive }
}

/** One dark dot. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const drawnPicture = (image: Locator): Promise<void> =>
  image.evaluate(async element => {
    const picture = element as HTMLImageElement
    await picture.decode()
    if (picture.naturalWidth === 0) throw new Error('the picture is empty')
  })

/** Until somebody was led to a message: it is in sight, marked, and has the focus. */
async function here(page: Page, words: string): Promise<void> {
  await page.waitForFunction(said => {
    const article = document.activeElement
    const scroller = document.querySelector('.scroller')
    if (article?.tagName !== 'ARTICLE' || scroller === null || !article.textContent.includes(said)) return false
    const { top } = article.getBoundingClientRect()
    const box = scroller.getBoundingClientRect()
    return top >= box.top && top < box.top + 100 && article.closest('[data-found="true"]') !== null
  }, words)
}

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}

/** A model that is busy until it is not. */
type Service = { readonly url: string; readonly server: Server; isBusy: boolean }

async function busyService(): Promise<Service> {
  const server = createServer((_request, response) => {
    if (service.isBusy) {
      response.writeHead(429, { 'retry-after-ms': '2500', 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'too many' } }))
      return
    }
    const piece = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${piece({ role: 'assistant', content: 'Here I am.' }, null)}${piece({}, 'stop')}data: [DONE]\n\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const service: Service = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, isBusy: true }
  return service
}
