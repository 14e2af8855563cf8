import sparticuz from '@sparticuz/chromium'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real Chromium with a fresh profile, or why there is none here. `CHROMIUM_PATH` names another one than npm's. */
export async function openBrowser(): Promise<Browser | { readonly why: string }> {
  try {
    const executablePath = process.env.CHROMIUM_PATH ?? (await sparticuz.executablePath())
    return await chromium.launch({ executablePath, headless: true, args: FLAGS })
  } catch (cause) {
    const [why] = String(cause instanceof Error ? cause.message : cause).split('\n')
    return { why: `no Chromium runs here (${why}); set CHROMIUM_PATH to one` }
  }
}

/** A tab that remembers what must never happen in it. */
export type Tab = { readonly page: Page; readonly complaints: readonly string[]; readonly close: () => Promise<void> }

/** A tab without motion, so that colors and places are final when a test looks. `expected` are complaints that the test itself provokes. */
export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  expected?: RegExp,
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  return { page, complaints: await watch(page, url, expected), close: () => context.close() }
}

/** Errors on the console, exceptions, breaches of the page's policy, and requests to anywhere else. */
export async function watch(page: Page, url: string, expected?: RegExp): Promise<readonly string[]> {
  const complaints: string[] = []
  const complain = (what: string): void => {
    if (expected?.test(what) !== true) complaints.push(what)
  }
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complain(`console: ${message.text()}`)
  })
  page.on('pageerror', cause => complain(`exception: ${cause.message}`))
  page.on('request', request => {
    if (new URL(request.url()).origin !== url) complain(`request to ${request.url()}`)
  })
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', breach => reportError(new Error(`policy: ${breach.violatedDirective}`)))
  })
  return complaints
}
