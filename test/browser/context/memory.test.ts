// What is remembered, on the page: summaries where they happened, pins with reach, private chats, and the switches of recall.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { answered, say } from '../support/acts.ts'
import { openBrowser, openTab } from '../support/browser.ts'
import { buildPage, type Gateway, startGateway } from '../support/gateway.ts'

/** Quotes have a number of tokens of their own, so that a chat that has hidden nothing yet may have some. */
const SETTINGS = { policy: 'quoting', policies: { quoting: { extends: 'steady', recall: { tokens: 600 } } } }
const TURNS = 6
const FACT = 'The spare key to the boathouse hangs behind the copper kettle.'
const FILLING = 'The weather over the northern hills stayed grey and calm until the evening, and few people walked there. '
const PHONE = { width: 390, height: 844 }

const opened = await openBrowser()

describe('what is remembered', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let chat: string

  before(async () => {
    buildPage()
    gateway = await startGateway({ ANTHROPIC_API_KEY: '', TURNWISE_DEMO_DELAY_MS: '0' }, SETTINGS)
    await ask('PUT', 'api/projects/harbor', { context: 'About the harbor.' })
    chat = (await ask<{ id: string }>('POST', 'api/sessions', { project: 'harbor' })).id
    await ask('PATCH', `api/sessions/${chat}`, { title: 'Boathouse' })
    for (let turn = 1; turn <= TURNS; turn += 1)
      await ask(
        'POST',
        `api/sessions/${chat}/messages`,
        { text: turn === 2 ? FACT : `Remark ${turn}: ${FILLING.repeat(3)}` },
        'text/event-stream',
      )
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  const ask = async <Value>(method: string, path: string, body: object, accept = 'application/json'): Promise<Value> => {
    const headers = { 'content-type': 'application/json', accept }
    const answer = await fetch(`${gateway.url}/${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    assert.ok(answer.ok, text)
    return (accept === 'application/json' ? JSON.parse(text) : text) as Value
  }

  const inTab = async (story: (page: Page) => Promise<void>): Promise<void> => {
    const tab = await openTab(browser, gateway.url)
    try {
      await story(tab.page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }

  test('a summary is made by a command, edited, removed and brought back where it happened', () =>
    inTab(async page => {
      await page.goto(`${gateway.url}/#/s/${chat}`)
      await answered(page, TURNS)
      await say(page, '/compact')
      const line = page.getByRole('button', { name: /^Messages 1–\d+ summarized · [\d,]+ → [\d,]+ tokens$/ })
      await line.waitFor()
      assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0, 'nothing answers')

      await line.focus()
      await page.keyboard.press('Enter')
      const fold = page.getByRole('region', { name: 'Summary of earlier messages' })
      await fold.getByText('Sentences taken word for word').waitFor()
      assert.deepEqual(await findings(page), [])
      await fold.getByRole('button', { name: 'Edit' }).click()
      const field = fold.getByRole('textbox', { name: 'Text of the summary' })
      await field.fill('They spoke of the weather, and of a key behind the kettle.')
      await fold.getByRole('button', { name: 'Save' }).click()
      await fold.getByText('Edited by you').waitFor()

      await fold.getByRole('button', { name: 'Remove' }).click()
      await fold.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await fold.getByText('a key behind the kettle').waitFor()

      await page.setViewportSize(PHONE)
      await line.scrollIntoViewIfNeeded()
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone')
      await page.setViewportSize({ width: 1280, height: 800 })

      // The next reply has the summary instead of the messages, and says so.
      await say(page, 'And what now?')
      await answered(page, TURNS + 1)
      const seen = page.locator('.reply').last().locator('.seen')
      assert.match((await seen.textContent()) ?? '', /^Saw \d+ of 13 messages, \d+ summarized$/)
      await seen.click()
      const inspector = page.getByRole('complementary', { name: 'Inspector' })
      await inspector.getByText(/^Summary of messages 1–\d+$/).waitFor()
      await inspector.getByText('Summarized', { exact: true }).waitFor()
      await inspector.getByText('Verified').waitFor()
    }))

  test('pins reach other chats, are listed with summaries, and are forgotten by one click', () =>
    inTab(async page => {
      await page.goto(`${gateway.url}/#/s/${chat}/6`)
      const message = page.locator('.message', { hasText: FACT })
      await message.hover()
      await choose(page, message.getByRole('button', { name: 'Pin: send it every time' }), 'Every chat')
      await message.getByText('Pinned in every chat').waitFor()

      await page.getByRole('link', { name: 'Memory' }).click()
      const items = page.getByRole('region', { name: 'Remembered' }).getByRole('listitem')
      const pin = items.filter({ hasText: FACT })
      await pin.getByText('Pin · In every chat').waitFor()
      await items.filter({ hasText: 'Summary · Edited by you' }).getByRole('link', { name: 'Boathouse' }).waitFor()
      assert.deepEqual(await findings(page), [])
      await pin.getByRole('button', { name: /^Forget/ }).click()
      await pin.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await pin.waitFor()
      await pin.getByRole('link', { name: 'Boathouse' }).click()
      await page.locator('.passage[data-found="true"]', { hasText: FACT }).waitFor()

      // In a chat elsewhere it is sent, and leads back.
      await startNew(page)
      await say(page, 'Hello there')
      await answered(page, 1)
      await page.locator('.reply .seen').click()
      const row = page.getByRole('complementary', { name: 'Inspector' }).locator('.item', { hasText: 'Pinned in “Boathouse”' })
      await row.click()
      await page.getByRole('link', { name: 'Open “Boathouse”' }).click()
      await page.locator('.passage[data-found="true"]', { hasText: FACT }).waitFor()

      // Forgotten for good, it is in its chat and nowhere else.
      await page.getByRole('link', { name: 'Memory' }).click()
      await pin.getByRole('button', { name: /^Forget/ }).click()
      await pin.waitFor({ state: 'detached' })
      await page.goto(`${gateway.url}/#/s/${chat}/6`)
      await message.waitFor()
      assert.equal(await message.getByText('Pinned in every chat').count(), 0)
    }))

  test('the switches say in every chat what they touch, and a private chat shows that it is one', () =>
    inTab(async page => {
      const sign = page.getByRole('link', { name: /^Can recall from/ })
      await page.goto(`${gateway.url}/#/memory`)
      const turned = page.getByRole('switch', { name: 'Chats in harbor recall from each other' })
      await turned.click()
      await page.goto(`${gateway.url}/#/s/${chat}`)
      await page.getByRole('link', { name: 'Can recall from other chats in harbor' }).click()
      await page.getByRole('radio', { name: 'All chats' }).check()
      await page.getByText('A chat recalls what was said in every other chat.').waitFor()
      await page.goto(`${gateway.url}/#/s/${chat}`)
      await page.getByRole('link', { name: 'Can recall from all chats' }).waitFor()
      assert.equal(await sign.count(), 1)

      // A chat elsewhere quotes this one, and names it, its day and the way there.
      await startNew(page)
      // A look-up has a moment and no more; a machine that was busy just then is asked again.
      const recalled = page.getByRole('button', { name: /^Recalled \d+ earlier messages?$/ })
      for (let asked = 1; asked <= 5 && (await recalled.count()) === 0; asked += 1) {
        await say(page, 'Where was the spare key to the boathouse?')
        await answered(page, asked)
      }
      await recalled.click()
      const quote = page.getByRole('list', { name: 'Recalled messages' }).getByRole('link').filter({ hasText: FACT })
      assert.match((await quote.textContent()) ?? '', /^\w{3} \d+, \d{4} · Boathouse · .*copper kettle\.$/)
      await quote.click()
      await page.locator('.passage[data-found="true"]', { hasText: FACT }).waitFor()

      const settings = await (await fetch(`${gateway.url}/api/memory`)).json()
      assert.equal((settings as { from: string }).from, 'everywhere')

      await page.getByRole('button', { name: 'Options for this conversation' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Private: never quoted in other chats' }).click()
      const listed = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /^Boathouse.*, private$/ })
      await listed.waitFor()
      // Nothing of a private chat reaches another one, so there is nothing to choose.
      const message = page.locator('.message', { hasText: FACT })
      await message.hover()
      await message.getByRole('button', { name: 'Pin: send it every time' }).click()
      await message.getByText('Pinned', { exact: true }).waitFor()
      assert.equal(await page.getByRole('menu').count(), 0)
      await page.getByRole('button', { name: 'Options for this conversation' }).click()
      const choice = page.getByRole('menuitemcheckbox', { name: 'Private: never quoted in other chats' })
      assert.equal(await choice.getAttribute('aria-checked'), 'true')
      await choice.click()
      await listed.waitFor({ state: 'detached' })
    }))
})

async function startNew(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'New conversation' }).click()
  await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
}

async function choose(page: Page, button: Locator, words: string): Promise<void> {
  await button.click()
  await page.getByRole('menuitemradio', { name: words }).click()
}

const findings = async (page: Page): Promise<readonly string[]> => {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
