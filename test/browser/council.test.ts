import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { answered, say } from './acts.ts'
import { openBrowser, openTab } from './browser.ts'
import { buildPage, type Gateway, startGateway } from './gateway.ts'

/** Pictures to look at; git does not keep them. */
const SCREENS = join(dirname(dirname(import.meta.dirname)), 'test-results/screens')

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

const BOARD = ['The Builder', 'The Sceptic', 'The Steward', 'The Advocate', 'The Strategist']

const opened = await openBrowser()

describe('a council on the page', { skip: 'why' in opened ? opened.why : false }, () => {
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

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      test(`a round, an exchange and a synthesis with its sources, ${size} and ${colorScheme}`, async () => {
        const tab = await openTab(browser, gateway.url, { viewport, colorScheme })
        const { page } = tab
        const look = async (name: string): Promise<void> => {
          await page.screenshot({ path: join(SCREENS, `${size}-${colorScheme}-council-${name}.png`) })
          assert.deepEqual(await findings(page), [], name)
          assert.ok(await fits(page), `${name} is wider than the screen`)
        }
        try {
          await page.goto(gateway.url)
          await page.getByRole('combobox', { name: 'Who answers' }).selectOption({ label: 'Board (5 advisors)' })
          await look('welcome')

          await say(page, 'say 200 words')
          await together(page)
          await look('streaming')
          await answered(page, 5)
          assert.deepEqual(await names(page), BOARD)
          assert.equal(new Set(await page.locator('.voice-dot').evaluateAll(colors)).size, 5, 'each has its own colour')
          for (const text of await page.locator('.reply .spoken').allTextContents())
            assert.equal(text.trim().split(/\s+/).length, 200, 'no word of another in it')

          await page.getByRole('button', { name: 'Answer each other' }).click()
          await page.getByText('The advisors answer each other, round 1 of 1').waitFor()
          await answered(page, 10)
          await look('round')
          assert.equal(await page.locator('.bubble').count(), 1, 'the house is not the person')

          await page.getByRole('button', { name: 'Synthesis: Brief' }).click()
          await answered(page, 11)
          assert.equal(await page.evaluate(() => document.activeElement?.className), 'scroller', 'the focus stays on the page')
          assert.equal((await names(page)).at(-1), 'Synthesis')
          await page.getByText('6 sentences name who said it').click()
          assert.equal(await page.locator('.source-list > li').count(), 6)
          assert.deepEqual(
            (await page.locator('.source-list > li:not(:first-child) .origin-name').allTextContents()).toSorted(),
            BOARD.toSorted(),
          )
          await look('sources')

          await say(page, '@sceptic just you')
          await answered(page, 12)
          assert.deepEqual(await page.locator('.said-to').allTextContents(), ['To The Sceptic'])
          assert.equal((await names(page)).at(-1), 'The Sceptic')
          await look('to-one')

          await page.reload()
          await answered(page, 12)
          assert.deepEqual((await names(page)).slice(0, 5), BOARD)
          assert.deepEqual(tab.complaints, [])
        } finally {
          await tab.close()
        }
      })
    }
  }

  test('stopping stops everybody, and keeps what each had said', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      await page.goto(gateway.url)
      await page.getByRole('combobox', { name: 'Who answers' }).selectOption('council board')
      await say(page, 'say 5000 words')
      await together(page)
      await page.getByRole('button', { name: 'Stop' }).click()
      await answered(page, 5)
      assert.equal(await page.locator('.reply .fault').getByText('Stopped').count(), 5)
      assert.equal(await page.getByRole('group', { name: 'This round' }).count(), 0, 'nothing was answered')
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  test('who failed is tried again alone, and a quote that is not literal is said to be none', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      const advisors = [
        { id: 'ada', name: 'Ada', description: 'You count.' },
        { id: 'bo', name: 'Bo', description: 'You weigh.' },
        { id: 'cy', name: 'Cy', description: 'You have no key.', model: 'anthropic/claude-sonnet-4-5' },
      ]
      const council = { name: 'Trio', advisors, early: { turns: 0 } }
      const kept = await page.request.put(`${gateway.url}/api/councils/trio`, { data: council })
      assert.equal(kept.status(), 200, await kept.text())
      const doubted = {
        sentences: [
          { text: 'They agree.', from: [], trouble: 'unattributed' },
          {
            text: 'Ada would wait.',
            from: [{ voice: 'ada', label: 'Ada', seq: 9, quote: { text: 'wait a year', isLiteral: false, at: null, length: 0 } }],
            trouble: 'not-literal',
          },
        ],
        counts: { sentences: 2, attributed: 0, unattributed: 1, unknownAdvisor: 0, notLiteral: 1 },
      }
      await page.route('**/sources', route => route.fulfill({ json: doubted }))
      await page.goto(gateway.url)
      await page.getByRole('combobox', { name: 'Who answers' }).selectOption('council trio')
      await say(page, 'hello')
      await page.getByRole('button', { name: 'Retry failed (1)' }).click()
      await page.getByText('tried again below').waitFor()
      await page.getByRole('button', { name: 'Retry failed (1)' }).waitFor()
      assert.deepEqual(await names(page), ['Ada', 'Bo', 'Cy', 'Cy'])
      await page.getByRole('button', { name: 'Synthesis: Memo' }).click()
      await page.getByText('1 sentence without a source, 1 sentence with a quote that is not literal').click()
      await page.getByText('No advisor is named for this').waitFor()
      await page.getByText('(not literal: these words are not in the answer)').waitFor()
      await page.screenshot({ path: join(SCREENS, 'wide-light-council-doubt.png') })
      assert.deepEqual(await findings(page), [])
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })
})

/** Until two replies grow at the same time. */
async function together(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const growing = [...document.querySelectorAll('.spoken[data-growing="true"]')]
    return growing.filter(text => text.textContent.length > 40).length > 1
  })
}

const names = (page: Page): Promise<string[]> => page.locator('.reply .voice').allTextContents()

const colors = (dots: readonly Element[]): string[] => dots.map(dot => getComputedStyle(dot).backgroundColor)

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}

const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
