import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { answered, bubbles, growing, lastReply, noteGrowth, say } from './support/acts.ts'
import { openBrowser, openTab, type Tab, watch } from './support/browser.ts'
import { FIRST_SENT, forgottenChat } from './support/forgotten.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'
import { layLine } from './support/line.ts'

const opened = await openBrowser()

describe('the page', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    gateway = await startGateway()
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  /** Every tab is closed, and none of them may have had anything to complain about. */
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

  test('a message is answered word by word, and a reload keeps everything', () =>
    inTab(async ({ page }) => {
      const seen = await noteGrowth(page)
      await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
      await say(page, 'say 120 words')
      await answered(page, 1)
      const lengths = (await seen()).map(text => text.length)
      assert.ok(lengths.length > 5, `grew in ${lengths.length} steps`)
      assert.deepEqual(
        lengths,
        lengths.toSorted((a, b) => a - b),
      )
      const text = await lastReply(page)
      assert.equal(text.trim().split(/\s+/).length, 120)
      assert.equal(await page.locator('.reply .seen').textContent(), 'Saw your message')

      await page.reload()
      await answered(page, 1)
      assert.equal(await lastReply(page), text)
      assert.deepEqual(await page.locator('.bubble').allTextContents(), ['say 120 words'])
      assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), '')
    }))

  test('what was said is text, whatever it looks like', () =>
    inTab(async ({ page }) => {
      const text = '<img src=x onerror="alert(1)">\n  & <b>not bold</b>'
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.keyboard.press('Enter')
      await answered(page, 1)
      assert.equal(await page.locator('.bubble').textContent(), text)
      assert.equal(await page.locator('.entries img, .entries b').count(), 0)
    }))

  test('Escape stops a reply and keeps what was said so far', () =>
    inTab(async ({ page }) => {
      await say(page, 'say 9999 words')
      await growing(page, 100)
      await page.getByRole('button', { name: 'Stop' }).waitFor()
      await page.keyboard.press('Escape')
      await answered(page, 1)
      await page.locator('.reply .fault').getByText('Stopped').waitFor()
      const text = await lastReply(page)
      assert.ok(text.length >= 100 && text.split(' ').length < 9999)
      await page.reload()
      await answered(page, 1)
      assert.equal(await lastReply(page), text)
      await page.locator('.reply .fault').getByText('Stopped').waitFor()
    }))

  test('a second tab sees the same, while it is said', () =>
    inTab(async ({ page }) => {
      await say(page, 'hello from the first')
      await answered(page, 1)
      const other = await page.context().newPage()
      const complaints = await watch(other, gateway.url)
      await other.goto(page.url())
      await answered(other, 1)
      await say(page, 'say 600 words')
      await growing(other, 50)
      await Promise.all([answered(page, 2), answered(other, 2)])
      assert.equal(await lastReply(other), await lastReply(page))
      assert.deepEqual(complaints, [])
    }))

  test('a reload in the middle of a reply goes on without a doubled word', () =>
    inTab(async ({ page }) => {
      const seen = await noteGrowth(page)
      await say(page, 'say 9999 words')
      await growing(page, 200)
      await page.reload()
      // It goes on streaming after the reload.
      await page.waitForFunction(() => (globalThis as unknown as { seen: string[] }).seen.length > 3)
      await page.keyboard.press('Escape')
      await answered(page, 1)
      const text = await lastReply(page)
      const words = text.trim().split(/\s+/)
      assert.ok(words.length > 24, text)
      const counted = words.filter((_, index) => (index + 1) % 12 === 0)
      assert.deepEqual(
        counted,
        counted.map((_, index) => `${(index + 1) * 12}`),
        'every twelfth word is its number',
      )
      for (const part of await seen()) assert.ok(text.startsWith(part), `not a beginning of the reply: ${part}`)
    }))

  test('a cut line is picked up again where it was', async () => {
    const line = await layLine(gateway.url)
    const tab = await openTab(browser, line.url, {}, /ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE)/)
    try {
      const { page } = tab
      await page.goto(line.url)
      const seen = await noteGrowth(page)
      await say(page, 'say 600 words')
      await growing(page, 200)
      const [again] = await Promise.all([page.waitForRequest(/\/events$/), line.cut()])
      assert.match(again.headers()['last-event-id'] ?? '', /^[1-9]/)
      await answered(page, 1)
      const text = await lastReply(page)
      assert.equal(text.trim().split(/\s+/).length, 600)
      for (const part of await seen()) assert.ok(text.startsWith(part), `not a beginning of the reply: ${part}`)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
      line.close()
    }
  })

  test('the end stays in sight for who is there, and nobody else is moved', () =>
    inTab(async ({ page }) => {
      const scroller = page.getByRole('region', { name: 'Conversation', exact: true })
      // The page follows what grows a moment later.
      const isAtEnd = (): Promise<unknown> =>
        page.waitForFunction(() => {
          const box = document.querySelector('.scroller')
          return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < 60
        })
      await say(page, 'say 9999 words')
      await page.waitForFunction(() => (document.querySelector('.scroller')?.scrollTop ?? 0) > 200)
      await isAtEnd()
      await scroller.evaluate(box => box.scrollTo(0, 10))
      const before = await page.locator('.spoken').evaluate(text => text.textContent.length)
      await growing(page, before + 500)
      assert.equal(await scroller.evaluate(box => box.scrollTop), 10)
      await page.getByRole('button', { name: 'Latest' }).click()
      await isAtEnd()
      await page.keyboard.press('Escape')
      await answered(page, 1)
      await isAtEnd()
    }))

  test('something may be said while a reply runs', () =>
    inTab(async ({ page }) => {
      await say(page, 'say 200 words')
      await growing(page, 50)
      await say(page, 'and one more thing')
      await answered(page, 2)
      assert.deepEqual(await bubbles(page), ['say 200 words', 'and one more thing'])
    }))

  test('a draft outlives a reload, and a refusal; sent again it is the same message', () =>
    inTab(async ({ page }) => {
      const field = page.getByRole('textbox', { name: 'Message' })
      await field.fill('not yet said')
      await page.reload()
      assert.equal(await field.inputValue(), 'not yet said')

      const keys: (string | undefined)[] = []
      page.on('request', request => {
        if (request.url().endsWith('/messages')) keys.push(request.headers()['idempotency-key'])
      })
      const problem = {
        type: 'about:blank',
        title: 'The store does not answer',
        status: 503,
        detail: 'try again',
        fault: 'store',
      }
      await page.route('**/messages', route =>
        route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
      )
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('The store does not answer').waitFor()
      assert.equal(await field.inputValue(), 'not yet said')
      await page.unroute('**/messages')
      await page.getByRole('button', { name: 'Send' }).click()
      await answered(page, 1)
      assert.equal(await page.locator('.bubble').count(), 1)
      assert.equal(keys.length, 2)
      assert.ok(keys[0] !== undefined && keys[0] === keys[1])
    }, /503/))

  test('Enter that chooses a word does not send, and Shift+Enter makes a line', () =>
    inTab(async ({ page }) => {
      const field = page.getByRole('textbox', { name: 'Message' })
      await field.fill('にほん')
      await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })
      await page.keyboard.press('Shift+Enter')
      await page.keyboard.type('x')
      assert.equal(await field.inputValue(), 'にほん\nx')
      assert.equal(await page.locator('.bubble').count(), 0)
    }))

  test('a conversation is renamed, found, and deleted for good', () =>
    inTab(async ({ page }) => {
      await say(page, 'a pelican on the pier')
      await answered(page, 1)
      const list = page.getByRole('navigation', { name: 'Conversations' })
      await list.getByRole('button', { name: /^Options for “a pelican on the pier/i }).click()
      await page.getByRole('menuitem', { name: 'Rename' }).click()
      await page.getByRole('textbox', { name: 'New title' }).fill('Birds')
      await page.keyboard.press('Enter')
      await list.getByRole('link', { name: 'Birds' }).waitFor()
      await page.getByRole('heading', { level: 1, name: 'Birds' }).waitFor()

      await page.getByRole('searchbox', { name: 'Search conversations' }).fill('pelican')
      await list.locator('mark', { hasText: 'pelican' }).first().waitFor()
      assert.equal(await list.getByRole('link', { name: 'Birds' }).count(), 1)
      await page.getByRole('searchbox', { name: 'Search conversations' }).fill('')

      const address = page.url()
      const remove = async (): Promise<void> => {
        await list.getByRole('button', { name: 'Options for “Birds”' }).click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
        await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
        assert.equal(await list.getByRole('link', { name: 'Birds' }).count(), 0)
      }
      await remove()
      await page.getByRole('button', { name: 'Undo' }).click()
      await answered(page, 1)
      assert.equal(page.url(), address)
      await remove()
      const gone = page.waitForResponse(response => response.request().method() === 'DELETE')
      await page.getByRole('button', { name: 'Dismiss' }).click()
      assert.equal((await gone).status(), 204)
      await page.goto(address)
      await page.getByRole('heading', { name: 'This conversation is not here' }).waitFor()
    }, /404/))

  test('a chosen theme is kept, and otherwise the system decides', () =>
    inTab(async ({ page }) => {
      const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      await page.emulateMedia({ colorScheme: 'light' })
      const light = await paper()
      await page.emulateMedia({ colorScheme: 'dark' })
      const dark = await paper()
      assert.notEqual(light, dark)
      await page.getByRole('radio', { name: 'Light' }).check({ force: true })
      assert.equal(await paper(), light)
      await page.reload()
      assert.equal(await paper(), light)
      await page.getByRole('radio', { name: 'As the system' }).check({ force: true })
      assert.equal(await paper(), dark)
    }))

  test('a line says where the window begins, a reply how much it saw, and one click pins or changes the policy', () =>
    inTab(async ({ page }) => {
      const made = await page.request.post(`${gateway.url}/api/sessions`, { data: { policy: 'recent' } })
      const { id } = (await made.json()) as { id: string }
      await page.goto(`${gateway.url}/#/s/${id}`)
      const texts = ['the key is 7', 'two', 'three', 'four']
      for (const [index, text] of texts.slice(0, 3).entries()) {
        await say(page, text)
        await answered(page, index + 1)
      }
      const line = page.locator('.boundary')
      const seen = page.locator('.reply .seen')
      assert.deepEqual(await seen.allTextContents(), ['Saw your message', 'Saw all 3 messages', 'Saw all 5 messages'])
      assert.equal(await line.count(), 0)
      await say(page, 'four')
      await answered(page, 4)
      await line.getByText('2 messages above this line were not sent with the last reply', { exact: true }).waitFor()
      const below = await line.evaluate(element => element.nextElementSibling?.querySelector('.bubble')?.textContent)
      assert.equal(below, 'two')
      assert.equal(await seen.last().textContent(), 'Saw 5 of 7 messages')
      assert.equal(await seen.last().getAttribute('data-missed'), 'true')
      const notice = page.locator('.notice[data-kind="window"]')
      await notice.getByText('2 of 7 messages are no longer sent to the model.').waitFor()

      // Where one is when it happens, without scrolling to the line.
      await notice.getByRole('button', { name: 'Pin a message' }).click()
      await page.getByRole('menuitem', { name: 'the key is 7' }).click()
      await page.getByText('Pinned “the key is 7”. It is sent from the next message on.').waitFor()
      await page.locator('.message').first().getByText('Pinned').waitFor()
      await say(page, 'five')
      await answered(page, 5)
      await line.getByText('3 messages above this line were not sent with the last reply', { exact: true }).waitFor()
      assert.match(await line.evaluate(element => element.nextElementSibling?.textContent ?? ''), /three/)
      assert.equal(await notice.count(), 0, 'said once')

      await line.getByRole('link', { name: 'Why?' }).click()
      const inspector = page.getByRole('complementary', { name: 'Inspector' })
      await inspector.getByText('6 of 9', { exact: true }).waitFor()
      await inspector.getByText('out.window').waitFor()
      await page.keyboard.press('Escape')

      await line.getByRole('button', { name: 'Send more' }).click()
      await page.getByRole('menuitem', { name: 'Change the policy' }).click()
      await page.getByRole('menuitemradio', { name: 'full' }).click()
      await page.getByText('The policy is now full. It applies to the next message.').waitFor()
      await say(page, 'six')
      await answered(page, 6)
      assert.equal(await line.count(), 0)
      assert.equal(await seen.last().textContent(), 'Saw all 11 messages')
      await page.reload()
      await answered(page, 6)
      assert.equal(await seen.last().textContent(), 'Saw all 11 messages')
    }))

  test('in 20,000 messages the line is where the window begins, and what was sent in part says so', () =>
    inTab(async ({ page }) => {
      let isHeard = false
      await page.route('**/api/sessions/ses_1', route =>
        route.fulfill({
          json: {
            id: 'ses_1',
            family: 'ses_1',
            title: 'Long',
            preview: null,
            agent: 'assistant',
            council: null,
            model: null,
            policy: 'steady',
            archived: false,
            project: null,
          },
        }),
      )
      await page.route('**/api/sessions/ses_1/events', async route => {
        if (isHeard) return
        isHeard = true
        await route.fulfill({ contentType: 'text/event-stream', body: forgottenChat() })
      })
      await page.goto(`${gateway.url}/#/s/ses_1`)
      await page.getByText('Answer 10000', { exact: true }).waitFor()
      await page.getByText('Saw 506 of 20,000 messages', { exact: true }).waitFor()
      const part = page.locator('.message', { hasText: 'Question 9999' })
      await part.getByText('Sent in part').waitFor()
      await page.locator('.notice[data-kind="window"]').getByText('19,494 of 20,000 messages').waitFor()
      assert.ok((await page.locator('.passage').count()) < 100, 'only what is near is drawn')
      assert.equal(await page.locator('.boundary').count(), 0, 'the line is far above')
      await page.goto(`${gateway.url}/#/s/ses_1/${(FIRST_SENT - 1) * 4 + 1}`)
      const line = page.locator('.boundary')
      await line.getByText('19,494 messages above this line were not sent with the last reply').waitFor()
      assert.equal(
        await line.evaluate(element => element.nextElementSibling?.querySelector('.bubble')?.textContent),
        `Question ${FIRST_SENT}`,
      )
      await line.getByRole('button', { name: 'Pin a message' }).click()
      assert.deepEqual((await page.getByRole('menuitem').allTextContents()).slice(0, 2), [
        `Answer ${FIRST_SENT - 1}`,
        `Question ${FIRST_SENT - 1}`,
      ])
      await page.keyboard.press('Escape')

      const facts = { output: null, price: null, images: false, files: false, thinking: false, tools: true, ready: true }
      await page.route('**/api/models', route =>
        route.request().method() === 'PATCH'
          ? route.fulfill({ json: route.request().postDataJSON() })
          : route.fulfill({ json: { items: [{ ...facts, name: 'ollama/small', window: 8192 }], default: 'ollama/small' } }),
      )
      const raised = page.waitForRequest(request => request.method() === 'PATCH')
      await line.getByRole('button', { name: 'Send more' }).click()
      await page.getByRole('menuitem', { name: 'Raise the window to 16,384 tokens' }).click()
      assert.deepEqual((await raised).postDataJSON(), { name: 'ollama/small', window: 16_384 })
      await page.getByText('The window of ollama/small is now 16,384 tokens. It applies to the next message.').waitFor()
    }))

  test('a call that waits shows what would run; an answer in one tab is seen in the other, and a denied one runs nothing', () =>
    inTab(async ({ page }) => {
      const create = (name: string): string => `use notes_create ${JSON.stringify({ name, text: '- [ ] milk' })}`
      await say(page, create('Today'))
      const card = page.locator('.approval')
      await card.waitFor()
      assert.match((await card.locator('pre').textContent()) ?? '', /^turnwise notes-create --name Today --text "- \[ \] milk"$/)
      const facts = card.locator('.approval-facts')
      assert.match((await facts.textContent()) ?? '', /^Program\S+\/bin\/turnwise.*Variables.*PATH/)
      const hash = facts.locator('details')
      assert.match((await hash.locator('summary').textContent()) ?? '', /^[\da-f]{12}…$/)
      await hash.locator('summary').click()
      await hash.getByText(/[\da-f]{64}/).waitFor()
      const other = await openTab(browser, gateway.url, {})
      await other.page.goto(page.url())
      await other.page.locator('.approval').waitFor()
      await page.reload()
      await card.getByRole('button', { name: 'Allow once' }).click()
      await answered(page, 1)
      await answered(other.page, 1)
      assert.equal(await card.count(), 0)
      assert.equal(await other.page.locator('.approval').count(), 0)
      assert.match(await lastReply(other.page), /The tool answered: done/)
      assert.deepEqual(other.complaints, [])
      await other.close()

      await say(page, create('Tomorrow'))
      await card.getByRole('button', { name: 'Deny' }).press('Enter')
      await answered(page, 2)
      assert.match(await lastReply(page), /denied by a person; nothing was run/)
    }))

  test('a finished reply is announced, one that was there before is not', () =>
    inTab(async ({ page }) => {
      await say(page, 'say 5 words')
      await answered(page, 1)
      const told = page.locator('[aria-live="polite"]')
      await told.getByText('Assistant replied:').waitFor()
      await page.reload()
      await answered(page, 1)
      assert.equal(await told.textContent(), '')
    }))
})
