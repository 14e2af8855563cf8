// The inspector: what was sent and why, by pointer and by key, beside the conversation and over it.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { answered } from '../support/acts.ts'
import { openBrowser, openTab, type Tab } from '../support/browser.ts'
import { buildPage, type Gateway, startGateway } from '../support/gateway.ts'

/** 300 messages, some of them with a tool. */
const TURNS = 152
/** Long enough that its first message lies far behind the window. */
const SHORT = 24
const opened = await openBrowser()

describe('the inspector', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let chat: string
  let short: string
  let council: string

  before(async () => {
    buildPage()
    gateway = await startGateway({ ANTHROPIC_API_KEY: '', TURNWISE_DEMO_DELAY_MS: '0' }, {}, async home => {
      cpSync('skills', join(home, 'skills'), { recursive: true })
    })
    chat = await begin({ policy: 'recent' })
    for (let turn = 1; turn <= TURNS; turn += 1)
      await say(chat, turn % 8 === 0 ? 'use clock_now {}' : `This is question ${turn}.`)
    short = await begin({ policy: 'recent' })
    for (let turn = 1; turn <= SHORT; turn += 1) await say(short, `This is question ${turn}.`)
    const advisors = ['Ada', 'Buber'].map(name => ({ name, description: `You are ${name}.`, active: true }))
    await ask('PUT', 'api/councils/board', { name: 'Board', references: 'last-round', early: { turns: 1 }, advisors })
    council = await begin({ council: 'board' })
    for (const text of ['Should we buy the boat?', 'It costs nine thousand.']) await say(council, text)
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  const ask = async (method: string, path: string, body: object, accept = 'application/json'): Promise<string> => {
    const headers = { 'content-type': 'application/json', accept }
    const answer = await fetch(`${gateway.url}/${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    assert.ok(answer.ok, text)
    return text
  }
  const begin = async (wish: object): Promise<string> => JSON.parse(await ask('POST', 'api/sessions', wish)).id
  /** Until everything it causes has ended. */
  const say = (session: string, text: string): Promise<string> =>
    ask('POST', `api/sessions/${session}/messages`, { text }, 'text/event-stream')

  const inTab = async (address: string, use: (tab: Tab) => Promise<void>, options: object = {}): Promise<void> => {
    const tab = await openTab(browser, gateway.url, options)
    try {
      await tab.page.goto(`${gateway.url}/#/s/${address}`)
      await use(tab)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
  const openTabNamed = (page: Page, name: string) => page.getByRole('tab', { name }).click()

  test('opens from a reply by pointer, shows what the receipt says, walks, and gives the focus back', () =>
    inTab(chat, async ({ page }) => {
      await answered(page, TURNS)
      const reply = page.locator('.reply').last()
      await reply.hover()
      await reply.getByRole('button', { name: 'Inspect what was sent for this reply' }).click()
      await panel(page)
        .getByRole('heading', { name: `Turn ${TURNS} · Assistant` })
        .waitFor()
      await page.getByText('Request 2 of 2').waitFor()
      await page.getByText('Verified: the log still gives exactly these bytes').waitFor()

      // The page's numbers are the request's numbers.
      const turn = (await reply.getAttribute('data-turn')) ?? ''
      const sent = await (await fetch(`${gateway.url}/api/sessions/${chat}/turns/${turn}/context?items=true`)).json()
      const parts = await page
        .locator('.look-bar .bar-part')
        .evaluateAll(all => all.map(each => Number((each as HTMLElement).dataset.tokens)))
      const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
      assert.equal(sum(parts), sent.receipt.tokens.estimated)
      const listed = await page.locator('tr[aria-level="1"]:not([data-kind="left"]) .item-tokens').allTextContents()
      assert.equal(sum(listed.map(text => Number(text.replaceAll(',', '')))), sent.receipt.tokens.estimated)

      await page.getByRole('button', { name: 'Previous request' }).click()
      await page.getByText('Request 1 of 2').waitFor()
      await page.getByRole('button', { name: 'Previous request' }).click()
      await panel(page)
        .getByRole('heading', { name: `Turn ${TURNS - 1} · Assistant` })
        .waitFor()
      assert.match(page.url(), /\/t\/trn_\w+\/1$/)

      // A row that is pointed at marks its message beside it; an opened one has its whole text.
      const current = page.locator('.item', { hasText: `This is question ${TURNS - 1}.` }).last()
      await current.hover()
      await page.locator('.message[data-pointed="true"]', { hasText: `This is question ${TURNS - 1}.` }).waitFor()
      await current.click()
      await page.locator('.item-text pre', { hasText: `This is question ${TURNS - 1}.` }).waitFor()
      assert.deepEqual(await findings(page), [])

      // What stayed out leads to where it stands.
      await page.locator('.item[data-kind="left"]').click()
      await page.locator('.left-line .link').first().click()
      await page.locator('.passage[data-found="true"]', { hasText: 'This is question 1.' }).waitFor()
      await panel(page).waitFor()
      await page.getByRole('button', { name: 'Close the inspector' }).click()
      await panel(page).waitFor({ state: 'detached' })
    }))

  test('is worked by keys alone', () =>
    inTab(chat, async ({ page }) => {
      await answered(page, TURNS)
      await page.getByRole('textbox', { name: 'Message' }).focus()
      await page.keyboard.press('Control+i')
      await panel(page).getByRole('treegrid').waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.getByText('Request 1 of 2').waitFor()
      await page.locator('.look[aria-busy="false"]').waitFor()
      await page.getByRole('tab', { name: 'Items' }).focus()
      await page.keyboard.press('Tab')
      const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '')
      const first = await focused()
      await page.keyboard.press('j')
      assert.notEqual(await focused(), first)
      await page.keyboard.press('k')
      assert.equal(await focused(), first)
      await page.keyboard.press('Enter')
      await page.locator('.item-text').waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.locator('.item-text').waitFor({ state: 'detached' })
      await page.locator('.item', { hasText: 'current.message' }).focus()
      await page.keyboard.press('x')
      await page.getByText(/tokens in the next request; it will be left out$/).waitFor()
      await page.getByRole('button', { name: 'Leave it' }).click()
      await page.locator('.item', { hasText: 'current.message' }).focus()
      await page.keyboard.press('w')
      await page.getByRole('region', { name: 'What if' }).waitFor()
      assert.equal(await focused(), 'What if')
      await page.keyboard.press('d')
      await page.getByText(/tokens to the request before/).waitFor()
      await page.getByRole('tab', { name: 'Items' }).click()
      await page.keyboard.press('ArrowRight')
      await page.locator('.request-body', { hasText: `"turn": ${TURNS}` }).waitFor()
      await page.keyboard.press('ArrowRight')
      await page.getByText(/tokens to the request before: \d+ came, \d+ went, \d+ stayed the same/).waitFor()
      await page.getByText(/Its first \d+ % are as in the request before/).waitFor()
      await page.keyboard.press('Escape')
      await panel(page).waitFor({ state: 'detached' })
      await page.waitForFunction(() => document.activeElement?.id === 'message')

      // In a reply, a letter is enough.
      await page.locator('.reply').last().getByRole('toolbar').getByRole('button').first().focus()
      await page.keyboard.press('i')
      await panel(page).getByRole('treegrid').waitFor()
    }))

  test('tells where a message went, and leads to each request', () =>
    inTab(`${short}/1`, async ({ page }) => {
      await answered(page, SHORT)
      const message = page.locator('.message', { hasText: 'This is question 1.' }).first()
      await message.hover()
      await message.getByRole('button', { name: 'Where was this used?' }).click()
      await page.getByText(/It was in 3 of \d+ requests since\. It left .*before the window \(out\.window\)\./).waitFor()
      assert.deepEqual(await findings(page), [])
      await panel(page).getByRole('button', { name: 'Pin …' }).click()
      const effect = panel(page).getByRole('status')
      await effect.filter({ hasText: 'in the next request' }).waitFor()
      assert.match(await effect.innerText(), /^\+\d+ tokens in the next request; it will be in$/)
      await panel(page).getByRole('button', { name: 'Leave it' }).click()
      await page.locator('.presence-list a[data-in="true"]').last().click()
      await panel(page).getByRole('heading', { name: 'Turn 1 · Assistant' }).waitFor()
    }))

  test('shows what else could have been, and runs it in a version of its own', () =>
    inTab(chat, async ({ page }) => {
      await answered(page, TURNS)
      const original = page.url()
      await page.keyboard.press('Control+i')
      await openTabNamed(page, 'What if')
      const whatIf = page.getByRole('region', { name: 'What if' })
      await whatIf.getByLabel('Policy').selectOption('full')
      await whatIf.getByRole('row', { name: /^Policy recent@1 full@1/ }).waitFor()
      await whatIf.getByRole('heading', { name: /^Would come · \d+/ }).waitFor()
      assert.deepEqual(await findings(page), [])
      await whatIf.getByLabel('Budget in tokens').fill('2000')
      await whatIf.getByText('A budget can only be tried here').waitFor()
      await whatIf.getByLabel('Budget in tokens').fill('')
      await whatIf.getByRole('button', { name: 'Run it' }).click()
      await page.waitForURL(address => !address.href.startsWith(original))
      await answered(page, TURNS)
      await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
      await page
        .locator('.seen[data-missed="false"]', { hasText: /^Saw all/ })
        .last()
        .waitFor()
    }))

  test('pins a message after it has shown what that does, and draws the whole session', () =>
    inTab(`${chat}/1`, async ({ page }) => {
      await answered(page, TURNS)
      await page.keyboard.press('Control+i')
      await page.locator('.item', { hasText: 'current.message' }).click()
      const text = page.locator('.item-text')
      await text.getByRole('button', { name: 'Pin …' }).click()
      await text.getByText(/tokens in the next request; it (stays|will be) in$/).waitFor()
      await text.getByRole('button', { name: 'Leave it' }).click()
      await text.getByRole('button', { name: 'Keep out …' }).click()
      await text.getByText(/tokens in the next request; it will be left out$/).waitFor()
      await text.getByRole('button', { name: 'Keep out' }).click()
      await text.getByRole('button', { name: 'Send it again …' }).waitFor()

      await openTabNamed(page, 'Timeline')
      const timeline = page.getByRole('region', { name: 'Timeline' })
      await timeline.getByText('The same as a table').click()
      const rows = timeline.locator('tbody tr')
      assert.equal(await rows.count(), TURNS + Math.floor(TURNS / 8))
      assert.ok((await timeline.locator('.timeline-hits a[data-dropped="true"]').count()) > 10)
      assert.deepEqual(await findings(page), [])
      await timeline.locator('.timeline-hits a').first().click()
      await panel(page).getByRole('heading', { name: 'Turn 1 · Assistant' }).waitFor()
    }))

  test('opens from a card of a council and shows what the others said as such', () =>
    inTab(
      council,
      async ({ page }) => {
        await answered(page, 4)
        const card = page.locator('.answer').last()
        await card.hover()
        await card.getByRole('button', { name: 'Inspect what was sent for this reply' }).click()
        await panel(page).getByRole('heading', { name: 'Turn 2 · Buber' }).waitFor()
        await page.keyboard.press('1')
        await panel(page).getByRole('heading', { name: 'Turn 2 · Ada' }).waitFor()
        await page.keyboard.press('2')
        await panel(page).getByRole('heading', { name: 'Turn 2 · Buber' }).waitFor()
        await page.locator('.item', { hasText: 'reference.last-round' }).waitFor()
        await openTabNamed(page, 'What if')
        await page.getByRole('region', { name: 'What if' }).getByLabel('Policy').selectOption('recent')
        await page.locator('.side-by-side').waitFor()
        await openTabNamed(page, 'Timeline')
        await page.getByRole('combobox', { name: 'Requests of' }).waitFor()
        assert.deepEqual(await findings(page), [])
      },
      { colorScheme: 'dark' },
    ))

  test('lies over the conversation on a phone, and nothing is cut off', () =>
    inTab(
      chat,
      async ({ page }) => {
        await answered(page, TURNS)
        await page.locator('.reply').last().getByRole('button', { name: 'Inspect what was sent for this reply' }).click()
        await panel(page).getByRole('treegrid').waitFor()
        assert.equal(await page.locator('.main').getAttribute('inert'), '')
        for (const name of ['Items', 'Request', 'Difference', 'What if', 'Timeline']) {
          await openTabNamed(page, name)
          const wide = await panel(page).evaluate(box => box.scrollWidth - box.clientWidth)
          assert.equal(wide, 0, `${name} fits`)
        }
        assert.deepEqual(await findings(page), [])
        await page.keyboard.press('Escape')
        await panel(page).waitFor({ state: 'detached' })
      },
      { viewport: { width: 360, height: 740 }, hasTouch: true },
    ))
})

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).include('.inspector').analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`)
}
