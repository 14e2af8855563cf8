// A person signs in to an MCP server on the page, in a tab of its own, and out again.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser } from 'playwright-core'
import { startOAuthServer } from '../../tool/mcp/oauth-server.ts'
import { openBrowser, openTab } from '../support/browser.ts'
import { buildPage, startGateway } from '../support/gateway.ts'

const opened = await openBrowser()

test('the page notices that a person signed in elsewhere', {
  skip: 'why' in opened ? opened.why : false,
}, async (t: TestContext) => {
  const browser = opened as Browser
  t.after(() => browser.close())
  buildPage()
  const oauth = await startOAuthServer(t)
  const gateway = await startGateway({}, { mcp: { docs: { url: oauth.url } } })
  t.after(gateway.stop)
  const tab = await openTab(browser, gateway.url)
  const { page } = tab
  await page.goto(`${gateway.url}/#/mcp`)
  const card = page.locator('[data-server="docs"]')
  await card.getByText('Sign in needed').waitFor()
  const elsewhere = page.context().waitForEvent('page')
  await card.getByRole('button', { name: 'Sign in to docs' }).click()
  const back = await elsewhere
  await back.getByRole('heading', { name: 'Signed in to docs.' }).waitFor()
  assert.ok(back.url().startsWith(`${gateway.url}/oauth/mcp/callback?`))
  // Its own style is allowed by its own policy.
  assert.equal(await back.evaluate(() => getComputedStyle(document.body).maxWidth), '576px')
  const { violations } = await new AxeBuilder({ page: back }).analyze()
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`),
    [],
  )
  await back.close()
  await card.getByText('Ready').waitFor()
  await card.getByRole('button', { name: 'Sign out of docs' }).click()
  await card.getByText('Sign in needed').waitFor()
  assert.equal(await card.getByRole('link').count(), 0)
  assert.deepEqual(tab.complaints, [])
})
