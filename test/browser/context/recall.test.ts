// A reply that was given earlier messages says so: they are listed above it, lead to where they stand, and can be excluded there.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import type { Receipt } from '../../../src/model/receipt.ts'
import { answered, say } from '../support/acts.ts'
import { openBrowser, openTab } from '../support/browser.ts'
import { FIRST_SENT, forgottenChat, seqOf } from '../support/forgotten.ts'
import { buildPage, type Gateway, startGateway } from '../support/gateway.ts'

/** So little room that a dozen messages do not fit, and most of it for quotes. */
const SETTINGS = {
  policy: 'small',
  policies: { small: { extends: 'steady', budget: { tokens: 1500 }, recall: { tokens: 600 } } },
}
const FACT = 'The spare key to the boathouse hangs behind the copper kettle.'
const QUESTION = 'Where was the spare key to the boathouse?'
const TURNS = 12
/** The fact is said as the second of the messages, and each has five events. */
const FACT_SEQ = 6

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

const NO_RECALL = { messages: 0, tokens: 0, most: 0, hidden: 0, looksBack: false, limits: [1, 1] } as const

/** A request that quotes the third question and the seventeenth answer. */
const QUOTED = [seqOf(3), seqOf(17) + 2] as const
const RECALLING: Partial<Receipt> = {
  in: QUOTED.map(from => ({ kind: 'recall', reason: 'recall.match', from, to: from, tokens: 9, hash: `h${from}` })),
  window: { begins: seqOf(FIRST_SENT), recalled: QUOTED.map(from => ({ seqs: [from], author: null })) },
}

const opened = await openBrowser()

describe('recalled messages', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let chat: string

  before(async () => {
    buildPage()
    gateway = await startGateway({ ANTHROPIC_API_KEY: '', TURNWISE_DEMO_DELAY_MS: '0' }, SETTINGS)
    chat = (await ask<{ id: string }>('api/sessions', {})).id
    for (let turn = 1; turn <= TURNS; turn += 1)
      await ask(
        `api/sessions/${chat}/messages`,
        { text: turn === 2 ? FACT : `Remark ${turn}: ${FILLING.repeat(3)}` },
        'text/event-stream',
      )
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  const ask = async <Value>(path: string, body: object, accept = 'application/json'): Promise<Value> => {
    const headers = { 'content-type': 'application/json', accept }
    const answer = await fetch(`${gateway.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    assert.ok(answer.ok, text)
    return (accept === 'application/json' ? JSON.parse(text) : text) as Value
  }

  test('are listed above the reply, lead to where they stand, and an excluded one is not recalled again', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      await page.goto(`${gateway.url}/#/s/${chat}`)
      await answered(page, TURNS)
      await say(page, QUESTION)
      await answered(page, TURNS + 1)

      assert.ok((await quotedIn(gateway.url, chat)).includes(FACT_SEQ), 'the fact was quoted')

      // By keyboard: opened, read, followed.
      const line = lastReply(page).getByRole('button', { name: /^Recalled \d+ earlier messages?$/ })
      assert.equal(await line.getAttribute('aria-expanded'), 'false')
      await line.focus()
      await page.keyboard.press('Enter')
      assert.equal(await line.getAttribute('aria-expanded'), 'true')
      const list = lastReply(page).getByRole('list', { name: 'Recalled messages' })
      const count = Number(/\d+/.exec((await line.textContent()) ?? '')?.[0])
      assert.equal(await list.getByRole('listitem').count(), count)
      assert.deepEqual(await findings(page), [])

      const row = list.getByRole('listitem').filter({ hasText: FACT })
      assert.match((await row.getByRole('link').textContent()) ?? '', /^\w{3} \d+, \d{4} · You: .*copper kettle\.$/)
      await row.getByRole('link').focus()
      await page.keyboard.press('Enter')
      await page.locator('.passage[data-found="true"]', { hasText: FACT }).waitFor()
      await page.waitForFunction(words => document.activeElement?.textContent?.includes(words), FACT)
      await page.getByRole('button', { name: 'Latest' }).click()

      // The inspector says the same with its own words.
      await lastReply(page).hover()
      await lastReply(page).getByRole('button', { name: 'Inspect what was sent for this reply' }).click()
      const inspector = page.getByRole('complementary', { name: 'Inspector' })
      await inspector.getByText('Recalled earlier messages').waitFor()
      assert.equal(await inspector.locator('.bar-part[data-slice="recalled"]').count(), 1)
      assert.match(
        (await inspector.locator('.item', { hasText: 'Recalled: matches the new message' }).textContent()) ?? '',
        /recall\.match/,
      )
      await inspector.getByText('Verified').waitFor()
      await page.keyboard.press('Escape')

      // Excluded, brought back, excluded again.
      await row.getByRole('button', { name: /^Exclude from context: The spare key/ }).click()
      await row.getByText('Excluded', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await row.getByText('Excluded', { exact: true }).waitFor({ state: 'detached' })
      await row.getByRole('button', { name: /^Exclude from context/ }).focus()
      await page.keyboard.press('Enter')
      await row.getByRole('button', { name: /^Include again/ }).waitFor()

      await say(page, `${QUESTION} Tell me once more.`)
      await answered(page, TURNS + 2)
      assert.equal((await quotedIn(gateway.url, chat)).includes(FACT_SEQ), false)
      const again = lastReply(page).getByRole('button', { name: /^Recalled/ })
      if ((await again.count()) > 0) await again.click()
      assert.equal(await lastReply(page).getByText('copper kettle').count(), 0)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  /** Opens a chat of 20,000 messages whose last receipt says this. */
  const openLong = async (
    viewport: typeof WIDE,
    receipt: Partial<Receipt>,
    look: (page: Page) => Promise<void>,
  ): Promise<void> => {
    const tab = await openTab(browser, gateway.url, { viewport }, /404/)
    const { page } = tab
    let isHeard = false
    await page.route('**/api/sessions/ses_1/events', async route => {
      if (isHeard) return
      isHeard = true
      await route.fulfill({ contentType: 'text/event-stream', body: forgottenChat(receipt) })
    })
    try {
      await page.goto(`${gateway.url}/#/s/ses_1`)
      await page.getByText('Answer 10000', { exact: true }).waitFor()
      await look(page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }

  for (const [name, viewport] of [
    ['wide', WIDE],
    ['on a phone', PHONE],
  ] as const)
    test(`lead to the beginning of a chat of 20,000 messages, as often as one likes: ${name}`, () =>
      openLong(viewport, RECALLING, async page => {
        await page.getByRole('button', { name: 'Recalled 2 earlier messages' }).click()
        const links = page.getByRole('list', { name: 'Recalled messages' }).getByRole('link')
        for (const [index, words] of ['Question 3', 'Answer 17', 'Answer 17'].entries()) {
          await links.nth(Math.min(index, 1)).click()
          await page.locator('.passage[data-found="true"]').getByText(words, { exact: true }).waitFor()
          assert.ok(await page.locator('.passage[data-found="true"]').first().isVisible())
          await page.getByRole('button', { name: 'Latest' }).click()
          await page.getByText('Answer 10000', { exact: true }).waitFor()
        }
      }))

  test('say in one line that they could not be looked up, and why', () =>
    openLong(WIDE, { recall: { ...NO_RECALL, failed: 'the index did not answer in time' } }, async page => {
      const line = page.getByText('Earlier messages could not be looked up').first()
      await line.waitFor()
      assert.equal(await line.getAttribute('title'), 'the index did not answer in time')
      assert.equal(await page.getByRole('button', { name: /^Recalled/ }).count(), 0)
    }))
})

/** Words that no question here has, long enough to fill a window. */
const FILLING = 'The weather over the northern hills stayed grey and calm until the evening, and few people walked there. '

const lastReply = (page: Page) => page.locator('.reply').last()

/** The seqs of the messages that the newest request quoted. */
async function quotedIn(url: string, session: string): Promise<readonly number[]> {
  const answer = await fetch(`${url}/api/sessions/${session}/events?limit=1000`)
  const { items } = (await answer.json()) as { items: readonly { type: string; receipt?: { in: readonly Line[] } }[] }
  const { receipt } = items.findLast(({ type }) => type === 'context.planned') ?? {}
  return (receipt?.in ?? []).flatMap(({ kind, from }) => (kind === 'recall' && from !== undefined ? [from] : []))
}
type Line = { readonly kind: string; readonly from?: number }

const findings = async (page: Page): Promise<readonly string[]> => {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
