// The page is as high as its window, wherever one is: what is longer scrolls in a box of its own, and nothing scrolls the page itself.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { WORKSPACE_PAGES } from '../../web/src/view/route.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

/** Enough that the list of chats is longer than any window here. */
const CHATS = 60

const SIZES = [
  { name: 'wide', viewport: { width: 1440, height: 900 } },
  { name: 'on a phone', viewport: { width: 390, height: 844 } },
] as const

/** What lies over the page, and the keys that open it; what has none is opened by its button. */
const OVERLAYS = [
  ['the palette', (page: Page) => page.keyboard.press('Control+k')],
  ['the list of keys', (page: Page) => page.getByRole('button', { name: 'Keyboard shortcuts' }).click()],
  ['the preferences', (page: Page) => page.getByRole('button', { name: 'Preferences' }).click()],
] as const

const opened = await openBrowser()

describe('with 60 chats and a council', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let places: readonly string[]

  before(async () => {
    buildPage()
    gateway = await startGateway()
    await Promise.all(Array.from({ length: CHATS }, (_, index) => open({ title: `Chat ${index}` })))
    const chat = await open({ title: 'One' })
    const council = await open({ title: 'Several', council: 'board' })
    await Promise.all([said(chat, 'think about the sea'), said(council, 'Should I raise my price?')])
    const turn = (await eventsOf(chat)).find(({ type }) => type === 'turn.started')?.turn
    places = [
      '',
      `s/${chat}`,
      `s/${council}`,
      `s/${chat}/t/${turn}`,
      `s/${chat}/m/1`,
      ...WORKSPACE_PAGES,
      ...WORKSPACE_PAGES.map(each => `${each}/~new`),
    ]
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  for (const { name, viewport } of SIZES)
    test(`no page is taller than its window, and nothing scrolls it: ${name}`, async () => {
      const tab = await openTab(browser, gateway.url, { viewport })
      const { page } = tab
      const wrong: string[] = []
      const look = async (where: string): Promise<void> => {
        await page.evaluate(() => document.fonts.ready)
        wrong.push(...(await troubles(page)).map(trouble => `${where}: ${trouble}`))
      }
      try {
        await page.goto(gateway.url)
        await page
          .getByText(`Chat ${CHATS - 1}`)
          .first()
          .waitFor({ state: 'attached' })
        const todo = [...places]
        for (let place = todo.shift(); place !== undefined; place = todo.shift()) {
          await goTo(page, place)
          await look(`#/${place}`)
          // Of what stands on a page, such as all agents, one of each is looked at.
          const further = WORKSPACE_PAGES.includes(place as never) ? await linkIn(page, place) : null
          if (further !== null) todo.push(further)
        }
        await goTo(page, '')
        if (viewport.width < 768) await page.getByRole('button', { name: 'Open the list of conversations' }).click()
        await look('the sidebar')
        for (const [what, show] of OVERLAYS) {
          await show(page)
          await page.locator('dialog[open]').waitFor()
          await look(what)
          await page.keyboard.press('Escape')
          await page.locator('dialog[open]').waitFor({ state: 'detached' })
        }
        await page.evaluate(() => {
          const stray = document.createElement('button')
          stray.textContent = 'Forgotten'
          Object.assign(stray.style, { position: 'absolute', top: '3000px' })
          document.querySelector('.app')?.append(stray)
          stray.focus()
          stray.scrollIntoView()
        })
        const offset = await page.evaluate(() => [scrollY, document.documentElement.scrollHeight - innerHeight])
        assert.deepEqual(offset, [0, 0], 'not even what lies outside of every box scrolls the page')
        assert.deepEqual(wrong, [])
        assert.deepEqual(tab.complaints, [])
      } finally {
        await tab.close()
      }
    })

  const ask = (path: string, body?: object, accept = 'application/json'): Promise<Response> =>
    fetch(`${gateway.url}/api/sessions${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', accept },
    })
  const open = async (wish: object): Promise<string> => ((await (await ask('', wish)).json()) as { id: string }).id
  /** Until every turn it caused has ended. */
  const said = async (session: string, text: string): Promise<string> =>
    (await ask(`/${session}/messages`, { text }, 'text/event-stream')).text()
  const eventsOf = async (session: string): Promise<readonly { readonly type: string; readonly turn?: string }[]> =>
    ((await (await ask(`/${session}/events`)).json()) as { items: [] }).items
})

/** Goes there, and waits until what is there was read. */
async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(to => {
    location.hash = `#/${to}`
  }, place)
  await page.waitForFunction(
    isChat => {
      const isRead = document.querySelector('.page-waiting, [aria-busy="true"]') === null
      if (!isChat) return isRead && document.querySelector('.workspace-page-inner')?.firstElementChild != null
      const isBeside = /\/[tm]\//.test(location.hash)
      const isThere = document.querySelector(location.hash === '#/' ? '.welcome' : '.passage') !== null
      return isRead && isThere && (document.querySelector('.inspector') !== null) === isBeside
    },
    place === '' || place.startsWith('s/'),
  )
}

const linkIn = (page: Page, each: string): Promise<string | null> =>
  page.evaluate(
    start =>
      document.querySelector(`.workspace-page a[href^="${start}"]:not([href$="~new"])`)?.getAttribute('href')?.slice(2) ?? null,
    `#/${each}/`,
  )

/** Everything that could scroll the page off its window, or hide something where nothing leads to it. */
const troubles = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const found = new Set<string>()
    const nameOf = ({ tagName, className }: Element): string =>
      `${tagName.toLowerCase()}.${String(className).replaceAll(' ', '.')}`
    const scrolls = (box: Element): boolean => {
      const { overflowX, overflowY } = getComputedStyle(box)
      return [overflowX, overflowY].some(overflow => overflow === 'auto' || overflow === 'scroll')
    }
    const { documentElement: root, body } = document
    const isStill = (): boolean =>
      [scrollX, scrollY, root.scrollTop, body.scrollTop].every(offset => offset === 0) &&
      document.querySelector('.app')?.getBoundingClientRect().top === 0
    if (root.scrollHeight !== innerHeight) found.add(`the page is ${root.scrollHeight} px high in ${innerHeight}`)
    if (root.scrollWidth !== innerWidth) found.add(`the page is ${root.scrollWidth} px wide in ${innerWidth}`)
    scrollTo(0, 100_000)
    if (!isStill()) found.add('the page scrolls')

    const all = [...document.querySelectorAll<HTMLElement>('body *')].filter(each =>
      each.checkVisibility({ visibilityProperty: true }),
    )
    for (const each of all) {
      // Clipping alone would hide it: what lies absolutely in a box that scrolls has to scroll with it.
      if (getComputedStyle(each).position === 'absolute')
        for (let box = each.parentElement; box !== null && box !== each.offsetParent; box = box.parentElement)
          if (scrolls(box)) found.add(`${nameOf(each)} does not scroll with ${nameOf(box)}`)
      each.scrollIntoView({ block: 'end' })
      if (!isStill()) found.add(`${nameOf(each)} scrolls the page when it is brought into sight`)
    }
    const before = document.activeElement
    const top = document.querySelector('dialog[open]') ?? document
    for (const each of top.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]')) {
      if (each.matches('.skip, :disabled, [hidden]') || each.closest('[inert]') !== null || !all.includes(each)) continue
      each.focus()
      if (!isStill()) found.add(`${nameOf(each)} scrolls the page when it is focused`)
      each.scrollIntoView({ block: 'nearest' })
      const { top: from, bottom: to, height } = each.getBoundingClientRect()
      if (height <= innerHeight && (from < -1 || to > innerHeight + 1)) found.add(`${nameOf(each)} cannot be brought into sight`)
    }
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    return [...found]
  })
