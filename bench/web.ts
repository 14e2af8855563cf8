// What a reader of the page feels: how heavy its first load is, how soon it is painted, and how even its frames are while five
// advisors speak at once and while a conversation of 5,000 messages is scrolled.
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../test/browser/support/browser.ts'
import { buildPage } from '../test/browser/support/gateway.ts'
import { markdown, percentile, type Report, type Row, ratioOf, report, scaleOf, type View } from './measure.ts'
import { beginFrames, endFrames } from './web-frames.ts'
import { openHouse, type WebHouse } from './web-house.ts'

const quick = process.argv.includes('--quick')
const scale = { ...scaleOf(process.argv), small: 0, large: quick ? 500 : 5000, rounds: quick ? 1 : 5, goes: quick ? 1 : 5 }

/** A frame above this is felt. */
const FELT_MS = 50
const WORDS = quick ? 60 : 400
const SCROLL_MS = quick ? 1500 : 6000

const AT_REST = 'frames: an empty page at rest'
const STREAMING = 'frames: five advisors stream'
const SCROLLING = 'frames: scrolling'
const PAINTED = 'first paint'
const OPENED = 'a long conversation is shown'

buildPage()
const browser = await openBrowser()
if ('why' in browser) throw new Error(browser.why)
const house = await openHouse(scale.large)
try {
  const weight = await weightOf(browser, house)
  console.log(`web · first load: ${weight.map(({ kind, gzipped }) => `${kind} ${kilobytes(gzipped)}`).join(', ')}, gzipped`)
  console.log(`${JSON.stringify({ bench: 'web-weight', command: 'node bench/web.ts', weight })}\n`)
  await report('web', scale, () => measured(browser, house), viewOf())
} finally {
  await browser.close()
  await house.close()
}

/** Rounds one after the other, each with everything in it, so that a noisy minute meets all of it. */
async function measured(where: Browser, { url, long, council }: WebHouse): Promise<readonly Row[]> {
  const seen = new Map<string, number[][]>()
  const note = (what: string, values: readonly number[]): void => void seen.set(what, [...(seen.get(what) ?? []), [...values]])
  // The first round is for caches and compilers, and counts for nothing.
  for (let round = quick ? 0 : -1; round < scale.rounds; round += 1) {
    const take = (what: string, values: readonly number[]): void => (round === -1 ? undefined : note(what, values))
    take(PAINTED, await severally(scale.goes, () => withPage(where, page => firstPaint(page, url))))
    take(AT_REST, await withPage(where, page => atRest(page, url)))
    take(STREAMING, await withPage(where, async page => streaming(page, url, await council())))
    const scrolled = await withPage(where, page => scrolling(page, url, long))
    take(OPENED, [scrolled.openedMs])
    take(SCROLLING, scrolled.frames)
  }
  return [...seen].map(([what, rounds]) => ({
    what,
    messages: what === SCROLLING || what === OPENED ? scale.large : 0,
    p50: percentile(rounds.flat(), 50),
    p99: percentile(rounds.flat(), 99),
    rounds,
  }))
}

/** Everything a browser asks for until the first page stands, by kind. */
async function weightOf(where: Browser, { url }: WebHouse): Promise<readonly { kind: string; gzipped: number }[]> {
  return withPage(where, async page => {
    const bodies: Promise<{ kind: string; gzipped: number }>[] = []
    page.on('response', response => {
      const kind = response.request().resourceType()
      if (!response.url().includes('/api/'))
        bodies.push(response.body().then(body => ({ kind, gzipped: gzipSync(body, { level: 9 }).length })))
    })
    await page.goto(url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.waitForLoadState('networkidle')
    const all = await Promise.all(bodies)
    const kinds = [...new Set(all.map(({ kind }) => kind))]
    const sums = kinds.map(kind => ({ kind, gzipped: sum(all.filter(each => each.kind === kind)) }))
    return [{ kind: 'all', gzipped: sum(all) }, ...sums]
  })
}

async function firstPaint(page: Page, url: string): Promise<number> {
  await page.goto(url)
  return page.evaluate(
    () =>
      new Promise<number>(resolve => {
        new PerformanceObserver(list => {
          const painted = list.getEntriesByName('first-contentful-paint')[0]
          if (painted !== undefined) resolve(painted.startTime)
        }).observe({ type: 'paint', buffered: true })
      }),
  )
}

async function atRest(page: Page, url: string): Promise<readonly number[]> {
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await beginFrames(page)
  await page.waitForTimeout(quick ? 1000 : 3000)
  return endFrames(page)
}

async function streaming(page: Page, url: string, session: string): Promise<readonly number[]> {
  await page.goto(`${url}/#/s/${session}`)
  await page.getByRole('textbox', { name: 'Message' }).fill(`say ${WORDS} words`)
  await beginFrames(page)
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelectorAll('.round [data-running="true"]').length === 5)
  await page.waitForFunction(() => document.querySelector('[data-running="true"]') === null, null, { timeout: 120_000 })
  return endFrames(page)
}

async function scrolling(page: Page, url: string, session: string): Promise<{ openedMs: number; frames: readonly number[] }> {
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  const started = performance.now()
  await page.evaluate(id => {
    location.hash = `#/s/${id}`
  }, session)
  await page.waitForFunction(
    many => Number(document.querySelector('.entries')?.getAttribute('data-replies')) * 2 >= many,
    scale.large,
  )
  const openedMs = performance.now() - started
  await page.getByRole('region', { name: 'Conversation' }).hover()
  await beginFrames(page)
  const until = performance.now() + SCROLL_MS
  for (let turns = 0; performance.now() < until; turns += 1) {
    // Mostly upwards, through what was never drawn, with a change of mind now and then.
    await page.mouse.wheel(0, turns % 12 === 11 ? 900 : -600)
    await page.waitForTimeout(16)
  }
  return { openedMs, frames: await endFrames(page) }
}

async function withPage<Value>(where: Browser, use: (page: Page) => Promise<Value>): Promise<Value> {
  const context = await where.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    return await use(await context.newPage())
  } finally {
    await context.close()
  }
}

async function severally(many: number, once: () => Promise<number>): Promise<readonly number[]> {
  const values: number[] = []
  while (values.length < many) values.push(await once())
  return values
}

function viewOf(): View {
  return {
    ratios: rows => {
      const rest = rows.find(({ what }) => what === AT_REST)
      return rows
        .filter(({ what }) => what === STREAMING || what === SCROLLING)
        .flatMap(row => (rest === undefined ? [] : [{ what: row.what, ...ratioOf(row, rest) }]))
    },
    table: ({ rows, ratios }: Report) =>
      markdown(
        ['', 'messages', 'p50 ms', 'p99 ms', 'longest ms', `over ${FELT_MS} ms`, '÷ at rest, p50 / p99'],
        rows.map(row => {
          const ratio = ratios.find(({ what }) => what === row.what)
          const values = row.rounds.flat()
          const isFrames = row.what.startsWith('frames')
          return [
            row.what,
            row.messages === 0 ? '–' : row.messages.toLocaleString('en'),
            row.p50.toFixed(1),
            row.p99.toFixed(1),
            Math.max(...values).toFixed(1),
            isFrames ? `${values.filter(ms => ms > FELT_MS).length} of ${values.length.toLocaleString('en')}` : '',
            ratio === undefined ? '' : `${ratio.p50.toFixed(2)} / ${ratio.p99.toFixed(2)}`,
          ]
        }),
      ),
  }
}

function sum(all: readonly { readonly gzipped: number }[]): number {
  return all.reduce((total, { gzipped }) => total + gzipped, 0)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
