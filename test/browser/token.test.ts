import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { answered, say } from './support/acts.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

const TOKEN = 'correct-horse-battery'
const opened = await openBrowser()

describe('a gateway with a token', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway

  before(async () => {
    buildPage()
    gateway = await startGateway({ TURNWISE_TOKEN: TOKEN })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  test('the page asks for it, keeps it for the tab, and never writes it into an address', async () => {
    const tab = await openTab(browser, gateway.url, {}, /401/)
    const { page } = tab
    const addresses: string[] = []
    page.on('request', request => addresses.push(request.url()))
    await page.goto(gateway.url)
    const dialog = page.getByRole('dialog', { name: 'This gateway asks for its token' })
    await dialog.getByLabel('Token', { exact: true }).fill('wrong')
    await dialog.getByRole('button', { name: 'Unlock' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Token', { exact: true }).fill(TOKEN)
    await dialog.getByRole('button', { name: 'Unlock' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.id === 'message')

    await say(page, 'hello')
    await answered(page, 1)
    await page.reload()
    await answered(page, 1)
    assert.equal(await dialog.count(), 0)
    assert.deepEqual(
      addresses.filter(address => address.includes(TOKEN)),
      [],
    )
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter(name => name.includes('token'))), [])
    assert.deepEqual(tab.complaints, [])

    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('dialog', { name: 'This gateway asks for its token' }).waitFor()
    await tab.close()
  })
})
