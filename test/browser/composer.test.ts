// Where a person writes: drafts, files, the queue, names, the ring and what a message would cost.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { answered, growing, lastReply, say } from './support/acts.ts'
import { openBrowser, openTab, watch } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

/** Pictures to look at; git does not keep them. */
const SCREENS = join(dirname(dirname(import.meta.dirname)), 'test-results/screens')

const NOTES = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# The pelican\nIt sleeps on the pier.') }
const ZIP = { name: 'all.zip', mimeType: 'application/zip', buffer: Buffer.from([80, 75, 3, 4, 0, 0, 1]) }

const opened = await openBrowser()

describe('where a person writes', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    await mkdir(SCREENS, { recursive: true })
    gateway = await startGateway({ ANTHROPIC_API_KEY: '' })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  const inTab = async (
    use: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
    expected?: RegExp,
  ): Promise<void> => {
    const tab = await openTab(browser, gateway.url, options, expected)
    try {
      await tab.page.goto(gateway.url)
      await use(tab.page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }
  const field = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('textbox', { name: 'Message' })

  test('every conversation has its own draft, over a reload too; its files stay while the page is open', () =>
    inTab(async page => {
      await say(page, 'the first')
      await answered(page, 1)
      const first = page.url()
      await field(page).fill('for the first')
      await page.locator('input[type=file]').setInputFiles(NOTES)
      await page.getByRole('button', { name: 'Remove notes.md' }).waitFor()
      await page.goto(`${gateway.url}/#/`)
      await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
      assert.equal(await field(page).inputValue(), '')
      assert.equal(await page.locator('.draft-file').count(), 0)
      await field(page).fill('for a new one')
      await page.goto(first)
      await page.getByRole('button', { name: 'Remove notes.md' }).waitFor()
      assert.equal(await field(page).inputValue(), 'for the first')
      await page.reload()
      assert.equal(await field(page).inputValue(), 'for the first')
      await page.goto(`${gateway.url}/#/`)
      await page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
      assert.equal(await field(page).inputValue(), 'for a new one')
    }))

  test('files are pasted, dropped and picked, and the model is given them; what cannot be sent is told', () =>
    inTab(async page => {
      const png = await page.evaluate(drawn, { width: 40, height: 30 })
      await paste(page, { files: [{ name: 'shot.png', type: 'image/png', base64: png }] })
      await page.locator('.draft-picture').waitFor()
      await page.getByText('demo does not see images; it is told only their names.').waitFor()
      await drop(page, [{ name: 'notes.md', type: '', base64: NOTES.buffer.toString('base64') }])
      await page.locator('input[type=file]').setInputFiles([ZIP])
      await page.getByRole('alert').getByText('“all.zip” cannot be read by a model').waitFor()
      await page.getByRole('alert').getByRole('button', { name: 'Dismiss' }).click()

      await paste(page, { text: `${'long '.repeat(6001)}end` })
      await page.locator('.draft-file', { hasText: 'Pasted text.txt' }).getByText('30,008 characters').waitFor()
      assert.equal(await field(page).inputValue(), '')
      await page.getByRole('button', { name: 'Put it into the text instead' }).click()
      assert.equal((await field(page).inputValue()).length, 30_008)
      await field(page).fill('what is in these?')
      assert.equal(await page.locator('.draft-file').count(), 2)

      const large = await page.evaluate(drawn, { width: 6000, height: 1500 })
      await paste(page, { files: [{ name: 'wide.png', type: 'image/png', base64: large }] })
      await page.getByText('scaled down from 6000 × 1500 to 2048 × 512').waitFor()
      await page.getByRole('button', { name: 'Remove wide.png' }).press('Enter')
      assert.equal(await page.locator('.draft-file').count(), 2)
      assert.equal(await field(page).evaluate(box => box === document.activeElement), true, 'the focus is not lost')

      await page.keyboard.press('Enter')
      await answered(page, 1)
      assert.equal(await page.locator('.draft-file').count(), 0)
      const sent = await sentIn(page, gateway.url)
      assert.match(sent, /It sleeps on the pier/)
      assert.match(sent, /shot\.png/)
    }))

  test('a refused message keeps its words and its files, and goes out once', () =>
    inTab(
      async page => {
        const problem = { title: 'The store does not answer', detail: 'try again', status: 503 }
        await page.route('**/messages', route =>
          route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
        )
        await page.locator('input[type=file]').setInputFiles(NOTES)
        await say(page, 'keep this')
        await page.getByRole('alert').getByText('The store does not answer').waitFor()
        assert.equal(await field(page).inputValue(), 'keep this')
        assert.equal(await page.locator('.draft-file').count(), 1)
        await page.unroute('**/messages')
        await page.keyboard.press('Enter')
        await answered(page, 1)
        assert.equal(await page.locator('.message').count(), 1)
        assert.match(await sentIn(page, gateway.url), /It sleeps on the pier/)
        assert.equal(await page.locator('.draft-file').count(), 0)
      },
      {},
      /503/,
    ))

  test('a word that is being chosen is never sent, and the other way to send is a setting', () =>
    inTab(async page => {
      await field(page).evaluate(box => {
        const press = (key: string, isComposing: boolean): void => {
          box.dispatchEvent(new KeyboardEvent('keydown', { key, isComposing, bubbles: true, cancelable: true }))
        }
        box.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
        press('Enter', true)
        press('ArrowUp', true)
        press('Escape', true)
        box.dispatchEvent(new CompositionEvent('compositionend', { data: 'にほん', bubbles: true }))
      })
      await field(page).fill('にほん')
      await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })
      assert.equal(await page.locator('.message').count(), 0)
      await page.evaluate(() => localStorage.setItem('turnwise.send', 'modified'))
      await page.reload()
      await field(page).press('Enter')
      assert.equal(await field(page).inputValue(), 'にほん\n')
      await page.getByText('Ctrl Enter').waitFor()
      await page.keyboard.press('Control+Enter')
      await answered(page, 1)
      assert.deepEqual(await page.locator('.bubble').allTextContents(), ['にほん'])
    }))

  test('while a reply runs one may say something now or queue it; two tabs send it once, in order', () =>
    inTab(async page => {
      // It runs until everything below is typed, also on a slow machine.
      await say(page, 'say 1500 words')
      await growing(page, 50)
      const other = await page.context().newPage()
      const complaints = await watch(other, gateway.url)
      await other.goto(page.url())
      await growing(other, 60)
      for (const text of ['queued one', 'queued two']) {
        await field(page).fill(text)
        await page.keyboard.press('Alt+Enter')
      }
      const rows = (tab: Page): ReturnType<Page['locator']> => tab.locator('.queue-text')
      await rows(other).nth(1).waitFor()
      assert.deepEqual(await rows(other).allTextContents(), ['queued one', 'queued two'])
      await say(page, 'said now')
      await page.locator('.bubble', { hasText: 'queued two' }).waitFor({ timeout: 120_000 })
      await Promise.all([answered(page, 4), answered(other, 4)])
      assert.deepEqual(await saidIn(page, gateway.url), ['say 1500 words', 'said now', 'queued one', 'queued two'])
      assert.equal(await rows(page).count(), 0)
      assert.equal(await rows(other).count(), 0)
      assert.deepEqual(complaints, [])
      await other.close()

      await say(page, 'say 9999 words')
      await growing(page, 100)
      await field(page).fill('and then this')
      await page.getByRole('button', { name: 'Queue' }).click()
      await page.keyboard.press('Escape')
      await page.getByText('Paused: send?').waitFor()
      await page.reload()
      await page.getByText('Paused: send?').waitFor()
      await page.getByRole('button', { name: 'Edit: and then this' }).click()
      assert.equal(await field(page).inputValue(), 'and then this')
      await page.keyboard.press('Enter')
      await page.locator('.bubble', { hasText: 'and then this' }).waitFor()
      assert.equal((await saidIn(page, gateway.url)).length, 6)
      assert.equal(await page.locator('.queue').count(), 0)
    }))

  test('the ring opens by keyboard and gives the focus back; a quote stands under the field before anything is sent', () =>
    inTab(
      async page => {
        await field(page).fill('hello')
        await page.locator('.quote').waitFor()
        assert.match((await page.locator('.quote [aria-hidden]').textContent()) ?? '', /^≈ [\d.]+k? in, ≤ [\d.]+k? out · \$0$/)
        await page.keyboard.press('Enter')
        await answered(page, 1)
        const ring = page.getByRole('button', { name: /^Context: [\d.]+k? of [\d.]+k, \d+ %$/ })
        await ring.press('Enter')
        const panel = page.getByRole('dialog', { name: 'What the newest request was made of' })
        await panel.getByRole('rowheader', { name: 'The new message' }).waitFor()
        await panel.getByRole('rowheader', { name: 'Kept for the answer' }).waitFor()
        await page.waitForFunction(() => document.querySelector('.totals dd')?.textContent !== '–')
        assert.equal(await panel.locator('.totals dd').last().textContent(), '$0')
        assert.deepEqual(await findings(page), [])
        await page.keyboard.press('Escape')
        await panel.waitFor({ state: 'hidden' })
        assert.equal(await ring.evaluate(button => button === document.activeElement), true)

        await page.getByRole('button', { name: /^Model and policy/ }).press('Enter')
        await page.getByRole('combobox', { name: /^Policy/ }).selectOption('recent')
        await page.getByRole('button', { name: 'Model and policy: demo · recent' }).waitFor()
        const told = page.waitForResponse(response => response.request().method() === 'PATCH')
        await page.getByRole('combobox', { name: 'Thinking' }).selectOption('Think first, where the model can')
        assert.equal((await (await told).json()).thinking, true)
        await page.waitForFunction(() =>
          [...document.querySelectorAll<HTMLSelectElement>('.tune-field select')].some(({ value }) => value === 'true'),
        )
        await page.getByText('Advanced').click()
        const changes = async (act: () => Promise<unknown>): Promise<unknown> => {
          const answer = page.waitForResponse(response => response.request().method() === 'PATCH')
          await act()
          const { sampling, maxTokens = null } = await (await answer).json()
          return { sampling, maxTokens }
        }
        const temperature = page.getByRole('textbox', { name: 'Temperature' })
        await temperature.fill('0.2')
        assert.deepEqual(await changes(() => temperature.press('Enter')), { sampling: { temperature: 0.2 }, maxTokens: null })
        await page.getByRole('textbox', { name: 'Maximum reply length' }).fill('300')
        const effort = page.getByRole('combobox', { name: 'Thinking effort' })
        assert.deepEqual(await changes(() => effort.focus()), { sampling: { temperature: 0.2 }, maxTokens: 300 })
        const both = { sampling: { temperature: 0.2, effort: 'high' }, maxTokens: 300 }
        assert.deepEqual(await changes(() => effort.selectOption('High')), both)
        assert.deepEqual(await findings(page), [])
        await temperature.fill('')
        assert.deepEqual(await changes(() => effort.focus()), { sampling: { effort: 'high' }, maxTokens: 300 })
        await page.keyboard.press('Escape')
        await say(page, '/policy no-such')
        await page.getByRole('alert').getByText('no-such').waitFor()
        await say(page, '/policy full')
        await page.getByRole('button', { name: 'Model and policy: demo · full' }).waitFor()

        const total = { input: 900, cached: 0, output: 4096, leastUsd: 0.01, mostUsd: 0.4 }
        const refused = { voices: [], total, refused: 'this round could cost $0.40, and limits.budgetUsdPerRound is $0.10' }
        await page.route('**/quote', route => route.fulfill({ json: refused }))
        await field(page).fill('too dear')
        await page.getByText('This would not be sent: this round could cost $0.40').waitFor()
        await field(page).fill('')
        await page.keyboard.press('ArrowUp')
        await page.locator('.message textarea').waitFor()
      },
      {},
      /400/,
    ))

  test('an advisor is named from a list, and it says whom the words are for', () =>
    inTab(async page => {
      await page.getByRole('combobox', { name: 'Who answers' }).selectOption('council board')
      await field(page).pressSequentially('@s')
      const list = page.getByRole('listbox', { name: 'Advisors' })
      assert.deepEqual(await list.getByRole('option').allTextContents(), ['The Sceptic', 'The Steward', 'The Strategist'])
      await page.keyboard.press('ArrowDown')
      assert.equal(
        await field(page).evaluate(box => document.getElementById(box.getAttribute('aria-activedescendant') ?? '')?.textContent),
        'The Steward',
      )
      assert.deepEqual(await findings(page), [])
      await page.keyboard.press('Tab')
      assert.equal(await field(page).inputValue(), '@steward ')
      await page.getByText('To The Steward').waitFor()
      await field(page).pressSequentially('and @b')
      await page.keyboard.press('Escape')
      await list.waitFor({ state: 'hidden' })
      await field(page).pressSequentially('uilder')
      await page.keyboard.press('Enter')
      await page.getByText('To The Builder, The Steward').waitFor()
      await page.keyboard.press('Enter')
      await answered(page, 2)
      assert.match(await lastReply(page), /You said/)
    }))

  for (const [name, options] of [
    ['360-light', { viewport: { width: 360, height: 640 }, colorScheme: 'light' }],
    ['zoomed-light', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, colorScheme: 'light' }],
    ['1280-dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ] as const)
    test(`everything has its place: ${name}`, () =>
      inTab(async page => {
        const look = async (what: string): Promise<void> => {
          await page.screenshot({ path: join(SCREENS, `composer-${name}-${what}.png`) })
          assert.deepEqual(await findings(page), [], what)
          assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            `${what} is wider than the screen`,
          )
        }
        const size = await field(page).evaluate(box => Number.parseFloat(getComputedStyle(box).fontSize))
        assert.ok(size >= 16, 'a phone would zoom in')
        await page
          .locator('input[type=file]')
          .setInputFiles([NOTES, { ...NOTES, name: 'a name that is much longer than any place for it could be.md' }])
        await field(page).fill('one line\n'.repeat(60))
        const box = await field(page).boundingBox()
        assert.ok(
          box !== null && box.height <= options.viewport.height * 0.4 + 1 && box.height > 100,
          'it grows, and then scrolls',
        )
        await field(page).fill('say 9999 words')
        await page.locator('.quote').waitFor()
        await look('files')
        await page.getByRole('button', { name: 'Send' }).click()
        await growing(page, 30)
        await field(page).fill('a message that waits, and is long enough to be cut on any screen there is')
        await page.getByRole('button', { name: 'Queue' }).click()
        await field(page).fill('something else')
        const who = await page.getByRole('combobox', { name: 'Who answers' }).boundingBox()
        assert.ok(who !== null && who.width >= 72, 'who answers can be read')
        await look('queue')
        await page.getByRole('button', { name: 'Stop' }).click()
        await page.getByText('Paused: send?').waitFor()
        await page.getByRole('button', { name: /^Context/ }).click()
        await page.getByRole('rowheader', { name: 'Free' }).waitFor()
        await look('ring')
      }, options))
})

type Kept = { readonly type: string; readonly turn?: string; readonly voice?: string; readonly text?: string }

const idIn = (page: Page): string => page.url().split('/s/')[1] ?? ''

async function eventsIn(page: Page, url: string): Promise<readonly Kept[]> {
  const answer = await page.request.get(`${url}/api/sessions/${idIn(page)}/events`)
  return ((await answer.json()) as { items: readonly Kept[] }).items
}

/** Everything that was said, in the order of the log. */
const saidIn = async (page: Page, url: string): Promise<readonly (string | undefined)[]> =>
  (await eventsIn(page, url)).filter(({ type }) => type === 'message.received').map(({ text }) => text)

/** What the gateway sent to the model in the last turn, as it keeps it. */
async function sentIn(page: Page, url: string): Promise<string> {
  const events = await eventsIn(page, url)
  const turn = events.findLast(({ type, voice }) => type === 'turn.started' && voice?.startsWith('house:') === false)?.turn
  return (await page.request.get(`${url}/api/sessions/${idIn(page)}/turns/${turn}/context`)).text()
}

type Carried = { readonly name: string; readonly type: string; readonly base64: string }

/** As the browser does it when somebody pastes; a page cannot fill the clipboard itself. */
const paste = (
  page: Page,
  { files = [], text = '' }: { readonly files?: readonly Carried[]; readonly text?: string },
): Promise<void> =>
  page.getByRole('textbox', { name: 'Message' }).evaluate(
    (field, given) => {
      const clipboardData = new DataTransfer()
      for (const { name, type, base64 } of given.files)
        clipboardData.items.add(new File([Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))], name, { type }))
      if (given.text !== '') clipboardData.setData('text/plain', given.text)
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    { files, text },
  )

/** On the conversation, far from the field. */
async function drop(page: Page, files: readonly Carried[]): Promise<void> {
  const fire = (type: string): Promise<void> =>
    page.locator('.transcript').evaluate(
      (place, given) => {
        const dataTransfer = new DataTransfer()
        for (const { name, type: mediaType, base64 } of given.files)
          dataTransfer.items.add(
            new File([Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))], name, { type: mediaType }),
          )
        place.dispatchEvent(new DragEvent(given.type, { dataTransfer, bubbles: true, cancelable: true }))
      },
      { type, files },
    )
  await fire('dragenter')
  await page.getByText('Drop files to attach them').waitFor()
  await fire('drop')
  for (const { name } of files) await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
  assert.equal(await page.locator('.drop-area').count(), 0)
}

/** A picture, in base64. */
function drawn({ width, height }: { readonly width: number; readonly height: number }): string {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const brush = canvas.getContext('2d')
  if (brush !== null) {
    brush.fillStyle = 'teal'
    brush.fillRect(0, 0, width, height / 2)
  }
  return canvas.toDataURL('image/png').split(',')[1] ?? ''
}

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}
