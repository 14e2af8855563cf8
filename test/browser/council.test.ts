import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { answered, say } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { SCENE, SCENE_COUNCIL, SCENE_SESSION } from './support/council-scene.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

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

          await say(page, 'say 300 words')
          await together(page)
          await look('streaming')
          await answered(page, 5)
          assert.deepEqual(await names(page), BOARD)
          assert.equal(new Set(await page.locator('.voice-dot').evaluateAll(colors)).size, 5, 'each has its own colour')
          for (const text of await page.locator('.reply .spoken').allTextContents())
            assert.equal(text.trim().split(/\s+/).length, 300, 'no word of another in it')

          await page.getByRole('button', { name: 'Answer each other' }).click()
          await answered(page, 10)
          await page.getByText('The advisors answer each other, round 1 of 1').waitFor()
          await page.getByText('hears: The Builder, The Steward, The Advocate, The Strategist').waitFor()
          await look('round')
          const exchange = page.locator('.passage', { hasText: 'The advisors answer each other' })
          assert.equal(await exchange.locator('.bubble').count(), 0, 'the house is not the person')

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
          await page.locator('.scroller').press('Home')
          await page.locator('.bubble', { hasText: 'say 300 words' }).waitFor()
          assert.deepEqual((await names(page)).slice(0, 5), BOARD)
          await page.getByText('Turn 1 of 3 – gathering').waitFor()
          assert.deepEqual(tab.complaints, [])
        } finally {
          await tab.close()
        }
      })
    }
  }

  test('one is stopped alone, then everybody; each keeps what it had said', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      await page.goto(gateway.url)
      await choose(page, 'board')
      await say(page, 'say 9999 words')
      await together(page)
      // Until then the button moves down with every line, also between the press of a mouse and its release.
      await folded(page, 5)
      await page.getByRole('button', { name: 'Stop The Builder' }).click()
      await card(page, 'The Builder').getByText('Stopped').waitFor()
      await card(page, 'The Builder').locator('.spoken').waitFor()
      assert.equal(await page.locator('.answer[data-running="true"]').count(), 4, 'the others speak on')
      // Text that grows stays folded, so that the cards beside it keep their place.
      await card(page, 'The Sceptic').getByRole('button', { name: 'Show more' }).waitFor()
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await answered(page, 5)
      assert.equal(await page.locator('.answer .fault').getByText('Stopped').count(), 5)
      assert.equal(await page.getByRole('group', { name: 'This round' }).count(), 0, 'nothing was answered')
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  test('three columns, two, and a deck that is swiped and steered by keys; a word to one is heard by that one', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      await page.goto(gateway.url)
      await choose(page, 'board')
      await say(page, 'say 200 words')
      await answered(page, 5)
      assert.equal(await columns(page), 3)
      const feet = await page.locator('.answer .context > summary').evaluateAll(all => all.map(each => each.clientHeight))
      assert.ok(Math.max(...feet) < 30, `the foot of a card is one line: ${feet}`)
      await page.setViewportSize({ width: 900, height: 800 })
      assert.equal(await columns(page), 2)
      assert.equal(await page.getByRole('navigation', { name: 'Advisors of this round' }).count(), 0)

      const sceptic = card(page, 'The Sceptic')
      await sceptic.getByRole('button', { name: 'Show more' }).click()
      await sceptic.getByRole('button', { name: 'Show less' }).waitFor()
      await sceptic.getByRole('button', { name: 'Only The Sceptic …' }).click()
      const field = page.getByRole('textbox', { name: 'Message to The Sceptic only' })
      await field.fill('the red')
      await field.press('Escape')
      assert.equal(await field.count(), 0)
      await sceptic.getByRole('button', { name: 'Only The Sceptic …' }).press('Enter')
      assert.equal(await field.inputValue(), 'the red', 'what was written stays')
      await field.pressSequentially(' lantern')
      await field.press('Enter')
      await answered(page, 6)
      assert.equal(await page.locator('.said-to').last().textContent(), 'To The Sceptic')
      assert.equal(await page.evaluate(() => document.activeElement?.className), 'scroller', 'the focus stays on the page')
      await page.getByRole('button', { name: 'Answer each other' }).waitFor()
      await say(page, 'what do you remember?')
      await answered(page, 11)
      await page.locator('.round').last().getByText('In my context').first().waitFor()
      const told = await page.locator('.round').last().locator('.answer').allTextContents()
      assert.deepEqual(
        told.map(text => text.includes('the red lantern')),
        BOARD.map(name => name === 'The Sceptic'),
      )

      await page.setViewportSize(SIZES.narrow)
      const tabs = page.getByRole('navigation', { name: 'Advisors of this round' }).last().getByRole('button')
      const deck = page.locator('.deck').last()
      const shown = (name: string): Promise<unknown> =>
        page.waitForFunction(wanted => {
          const [frame] = [...document.querySelectorAll('.deck')].slice(-1)
          const one = [...(frame?.children ?? [])].find(each => each.getAttribute('aria-label') === wanted)
          const [box, inner] = [frame?.getBoundingClientRect(), one?.getBoundingClientRect()]
          const [tab] = [...document.querySelectorAll('.deck-tab[aria-current="true"]')].slice(-1)
          return Math.abs((box?.left ?? 0) - (inner?.left ?? 99)) < 2 && tab?.textContent === wanted
        }, name)
      assert.equal(await columns(page), 5, 'side by side')
      assert.equal(await tabs.count(), 5)
      await shown('The Builder')
      const height = (await deck.boundingBox())?.height
      await tabs.nth(2).click()
      await shown('The Steward')
      await page.keyboard.press('ArrowRight')
      await shown('The Advocate')
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'The Advocate', 'the focus goes along')
      await page.keyboard.press('Home')
      await shown('The Builder')
      await deck.hover()
      await page.mouse.wheel(300, 0)
      await shown('The Sceptic')
      assert.equal((await deck.boundingBox())?.height, height, 'nothing below it moves')
      assert.ok(await fits(page))
      assert.deepEqual(await findings(page), [])
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  test('who failed is tried again alone, and a quote that is not literal is said to be none', async () => {
    const tab = await openTab(browser, gateway.url)
    const { page } = tab
    try {
      const trio = (model: string): object => ({
        advisors: [
          { id: 'ada', name: 'Ada', description: 'You count.' },
          { id: 'bo', name: 'Bo', description: 'You weigh.' },
          { id: 'cy', name: 'Cy', description: 'You have no key.', model },
        ],
        ...{ name: 'Trio', early: { turns: 0 } },
      })
      const keep = async (council: object): Promise<void> => {
        const kept = await page.request.put(`${gateway.url}/api/councils/trio`, { data: council })
        assert.equal(kept.status(), 200, await kept.text())
      }
      await keep(trio('anthropic/claude-sonnet-4-5'))
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
      await choose(page, 'trio')
      await say(page, 'hello')
      await page.getByText('2 of 3 answered').waitFor()
      const before = await card(page, 'Ada').elementHandle()
      const words = await card(page, 'Ada').textContent()
      await page.getByRole('button', { name: 'Retry failed (1)' }).click()
      await card(page, 'Cy').getByText('tried again').waitFor()
      await page.getByRole('button', { name: 'Retry failed (1)' }).waitFor()
      assert.deepEqual(await names(page), ['Ada', 'Bo', 'Cy'], 'one card for each')
      await keep(trio('demo'))
      await card(page, 'Cy').getByRole('button', { name: 'Try again' }).click()
      await card(page, 'Cy').getByText('I am the demo model').waitFor()
      await page.getByText('All 3 answered').waitFor()
      assert.equal(await card(page, 'Cy').locator('.attempt').count(), 2)
      assert.equal(await card(page, 'Ada').textContent(), words)
      assert.ok(await before?.evaluate(node => node.isConnected), 'the others were not touched')
      await page.getByRole('button', { name: 'Synthesis: Memo' }).click()
      await page.getByText('1 sentence without a source, 1 sentence with a quote that is not literal').click()
      await page.getByText('No advisor is named for this').waitFor()
      await page.getByText('(not literal: these words are not in the answer)').waitFor()
      // Both are looked at in one moment: the page moves while it scrolls to its end.
      await page.waitForFunction(() => {
        const round = document.querySelector('.round')?.getBoundingClientRect()
        const synthesis = document.querySelector('.reply[aria-label="Synthesis"]')?.getBoundingClientRect()
        return round !== undefined && synthesis !== undefined && round.bottom <= synthesis.top + 1
      })
      await page.screenshot({ path: join(SCREENS, 'wide-light-council-doubt.png') })
      assert.deepEqual(await findings(page), [])

      await card(page, 'Bo').hover()
      await page.getByRole('button', { name: 'Hide Bo' }).click()
      await page.getByText('From now on Bo answers only when named.').waitFor()
      assert.equal(await page.evaluate(() => document.activeElement?.className), 'scroller', 'the focus stays on the page')
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('button', { name: 'Hide Bo' }).click()
      await page.getByRole('button', { name: 'Bring back Bo' }).waitFor()
      await say(page, 'and now?')
      await page.getByText('All 2 answered').waitFor()
      await page.getByRole('button', { name: 'Bring back Bo' }).click()
      await page.getByRole('button', { name: 'Bring back Bo' }).waitFor({ state: 'detached' })
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })

  test('six advisors, each in another state, by day and by night, on a desk and on a phone', async () => {
    const tab = await openTab(browser, gateway.url, {}, /ERR_CONNECTION_REFUSED/)
    const { page } = tab
    try {
      const { key, ...council } = SCENE_COUNCIL
      const kept = await page.request.put(`${gateway.url}/api/councils/${key}`, { data: council })
      assert.equal(kept.status(), 200, await kept.text())
      await page.route('**/api/sessions/ses_scene', route => route.fulfill({ json: SCENE_SESSION }))
      await page.route('**/ses_scene/events*', route => route.abort('connectionrefused'))
      await page.route('**/ses_scene/events*', route => route.fulfill({ contentType: 'text/event-stream', body: SCENE }), {
        times: 1,
      })
      await page.goto(`${gateway.url}/#/s/ses_scene`)
      await page.getByText('2 of 5 answered').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const [size, viewport] of Object.entries(SIZES)) {
          await page.setViewportSize(viewport)
          await page
            .locator('.round')
            .last()
            .evaluate(round => round.scrollIntoView())
          await card(page, 'Ada').last().getByRole('button', { name: 'Show more' }).waitFor()
          await page.screenshot({ path: join(SCREENS, `${size}-${colorScheme}-council-states.png`) })
          assert.deepEqual(await findings(page), [], `${size} and ${colorScheme}`)
          assert.ok(await fits(page))
        }
      }
      const states = page.locator('.round').last().locator('.answer')
      assert.deepEqual(await states.evaluateAll(cards => cards.map(each => `${each.ariaLabel} ${each.dataset.state}`)), [
        'Ada answered',
        'Buber running',
        'Seth failed',
        'Dee waits',
        'Emil answered',
      ])
      await states.nth(3).getByRole('button', { name: 'Allow once' }).waitFor()
      await states.nth(4).getByText('Interrupted before it was finished; tried again').waitFor()
      await page.getByRole('button', { name: 'Bring back Fay' }).waitFor()
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  })
})

const choose = async (page: Page, council: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Who answers' }).selectOption(`council ${council}`)
}

const card = (page: Page, name: string): Locator => page.getByRole('article', { name, exact: true })

/** At how many places from left to right the cards of the last round begin. */
const columns = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const [deck] = [...document.querySelectorAll('.deck')].slice(-1)
    return new Set([...(deck?.children ?? [])].map(each => Math.round(each.getBoundingClientRect().left))).size
  })

/** Until two replies grow at the same time. */
async function together(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const growing = [...document.querySelectorAll('.spoken[data-growing="true"]')]
    return growing.filter(text => text.textContent.length > 40).length > 1
  })
}

/** Until so many replies are longer than their cards show. */
const folded = (page: Page, replies: number): Promise<unknown> =>
  page.waitForFunction(
    wanted => document.querySelectorAll('.answer[data-running="true"] .long-text[data-folded="true"]').length === wanted,
    replies,
  )

const names = (page: Page): Promise<string[]> => page.locator('.reply .voice').allTextContents()

const colors = (dots: readonly Element[]): string[] => dots.map(dot => getComputedStyle(dot).backgroundColor)

async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)
}

const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
