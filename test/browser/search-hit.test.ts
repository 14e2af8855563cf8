// A search result leads to its message in a long conversation, whichever part of the way there is slow.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { SessionId } from '../../src/model/ids.ts'
import { LONG_CHAT, writeLongChat } from '../support/long-chat.ts'
import { say } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'
import { holdStream } from './support/held-stream.ts'

const LONG = 1200
const HIT = 400
const WORDS = `question ${HIT}`
/** Where the message stands in the log: each question has five events, itself first. */
const SEQ = (HIT - 1) * 5 + 1

/** One to speak in. */
const SHORTER_CHAT = 'ses_0000000000000000000shorter' as SessionId

const opened = await openBrowser()

describe('the first open of a conversation of 1,200 messages from a search result', {
  skip: 'why' in opened ? opened.why : false,
  concurrency: 3,
}, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    gateway = await startGateway({}, {}, async home => {
      await writeLongChat(home, LONG)
      await writeLongChat(home, 40, SHORTER_CHAT)
    })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  const inTab = async (use: (page: Page) => Promise<void>): Promise<void> => {
    const tab = await openTab(browser, gateway.url)
    try {
      await use(tab.page)
      assert.deepEqual(tab.complaints, [])
    } finally {
      await tab.close()
    }
  }

  /** Types the words, and opens the first result once it is there. */
  const openHit = async (page: Page): Promise<void> => {
    await page.goto(gateway.url)
    await searchField(page).fill(WORDS)
    await page.locator('.row-snippet mark').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.hash === `#/s/${LONG_CHAT}/${SEQ}`)
  }

  test('lands on the message that was found', () =>
    inTab(async page => {
      await openHit(page)
      await landed(page)
    }))

  // Each time the page comes to rest with what it has, and only then hears more. A page that took the end of what it had for the end
  // that its reader wants to see would go on to the real one.
  test('lands there when the stream of events stops for a while: before it began, before the message, and close behind it', () =>
    inTab(async page => {
      const stops = [0, SEQ - 300, SEQ, SEQ + 10, SEQ + 60]
      const { held, letGo } = await holdStream(page, stops)
      await openHit(page)
      for (const stop of stops) {
        await held(stop)
        await atRest(page)
        await letGo()
      }
      await landed(page)
    }))

  test('lands there when frames come later than timers, and what is drawn is measured later than the list waits', () =>
    inTab(async page => {
      await page.addInitScript(() => {
        const LATE_MS = 220
        const { ResizeObserver: Observer, requestAnimationFrame: frame } = globalThis
        globalThis.requestAnimationFrame = act => frame(() => setTimeout(() => act(performance.now()), LATE_MS))
        globalThis.ResizeObserver = class extends Observer {
          constructor(heard: ResizeObserverCallback) {
            super((entries, observer) => setTimeout(() => heard(entries, observer), LATE_MS))
          }
        }
      })
      await openHit(page)
      await landed(page)
    }))

  // As with a chat that was just imported: what comes after a stop is still the past, however young it is.
  test('lands there when the messages behind it are seconds old and come late', () =>
    inTab(async page => {
      const stop = SEQ + 500
      const { held, letGo } = await holdStream(page, [stop])
      const { items } = await (await page.request.get(`${gateway.url}/api/sessions/${LONG_CHAT}/events?after=${stop}`)).json()
      await page.clock.setFixedTime(Date.parse(items.at(-1).at) + 5000)
      await openHit(page)
      await held(stop)
      await atRest(page)
      await letGo()
      await landed(page)
    }))

  test('lands there when Enter is pressed before the search has answered', () =>
    inTab(async page => {
      const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
      await page.route(/\/api\/sessions\?.*query=/, async route => {
        await free
        await route.continue()
      })
      await page.goto(gateway.url)
      await page.locator('.session-list [data-row]').first().waitFor()
      const asked = page.waitForRequest(request => request.url().includes('query='))
      await searchField(page).fill(WORDS)
      await page.keyboard.press('Enter')
      await asked
      assert.equal(new URL(page.url()).hash, '', 'nothing is opened before it is known what was found')
      letGo()
      await landed(page)
    }))

  test('is left for the end when the reader says something there', () =>
    inTab(async page => {
      await page.goto(`${gateway.url}/#/s/${SHORTER_CHAT}/11`)
      await page.getByText('This is question 3.').waitFor()
      await say(page, 'say 300 words')
      await page.locator('.bubble', { hasText: 'say 300 words' }).waitFor()
      await page.locator('.entries[data-replies="21"][data-running="0"]').waitFor()
      await atRest(page)
      const fromEnd = await page.evaluate(() => {
        const box = document.querySelector('.scroller')
        return box === null ? null : box.scrollHeight - box.scrollTop - box.clientHeight
      })
      assert.ok(fromEnd !== null && fromEnd < 2, `${fromEnd} px from the end`)
    }))
})

const searchField = (page: Page) => page.getByRole('searchbox', { name: 'Search conversations' })

/** All of it is there, nothing moves any more, and the message that was found stands at the top. */
async function landed(page: Page): Promise<void> {
  await page.locator(`.entries[data-rows="${LONG}"]`).waitFor()
  await atRest(page)
  const seen = await page.evaluate(() => {
    const box = document.querySelector('.scroller')?.getBoundingClientRect()
    const rows = [...document.querySelectorAll<HTMLElement>('.passage')].filter(row => {
      const { top, bottom } = row.getBoundingClientRect()
      return box !== undefined && top >= box.top && bottom <= box.bottom && row.checkVisibility({ visibilityProperty: true })
    })
    return rows.map(row => /This is (\w+ \d+)\./.exec(row.textContent)?.[1])
  })
  assert.equal(seen[0], WORDS, `in sight are ${seen.join(', ')}`)
}

/** Until rows are drawn and nothing has moved for longer than the list waits for sizes. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const STILL_MS = 250
    const state = (): string => {
      const box = document.querySelector('.scroller')
      return [box?.scrollTop, box?.scrollHeight, document.querySelector<HTMLElement>('.entries')?.dataset.rows].join(' ')
    }
    let before = state()
    let since = performance.now()
    while (performance.now() - since < STILL_MS) {
      await new Promise(requestAnimationFrame)
      const now = state()
      if (now !== before) since = performance.now()
      before = now
    }
  })
}
