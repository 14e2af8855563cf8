// An MCP server is added, ruled, restarted, changed and removed on the page, without a restart of the gateway or a file.
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { openBrowser, openTab } from '../support/browser.ts'
import { buildPage, startGateway } from '../support/gateway.ts'

const opened = await openBrowser()
const child = join(dirname(dirname(import.meta.dirname)), 'tool/mcp-child.ts')

test('a server comes and goes on the page', { skip: 'why' in opened ? opened.why : false }, async t => {
  buildPage()
  const gateway = await startGateway()
  t.after(gateway.stop)
  const browser = opened as Browser
  t.after(() => browser.close())
  const { page, complaints } = await openTab(browser, gateway.url)
  await page.goto(`${gateway.url}/#/mcp`)
  await page.getByText('There are no servers yet.').waitFor()
  const card = page.locator('[data-server="files"]')
  const stateOf = (words: string): Promise<void> => card.getByRole('status').filter({ hasText: words }).waitFor()
  const form = (name: string): Locator => page.getByRole('form', { name })

  await page.getByRole('button', { name: 'Add server' }).click()
  await form('New server').getByLabel('Name').fill('Not a name')
  await form('New server').getByRole('button', { name: 'Add server' }).click()
  await form('New server').getByText('Use lowercase letters').waitFor()
  await form('New server').getByLabel('Name').fill('files')
  await form('New server').getByLabel('Command').fill('turnwise-no-such-decoy')
  await form('New server').getByRole('button', { name: 'Add server' }).click()
  await stateOf('Not connected')
  await card.getByText('its command was not found').waitFor()

  await card.getByRole('button', { name: 'Edit' }).click()
  await form('Edit files').getByLabel('Command').fill(process.execPath)
  await form('Edit files').getByLabel('Arguments').fill(child)
  await form('Edit files').getByRole('button', { name: 'Save' }).click()
  await stateOf('Ready')
  await card.getByText('Log').click()
  await card.getByRole('log').getByText('starting: its settings have changed').waitFor()

  await card.getByLabel('Rule for all tools of files').selectOption('auto')
  const approvals = async (): Promise<readonly string[]> => {
    const { items } = (await (await page.request.get(`${gateway.url}/api/tools`)).json()) as {
      items: { server: string | null; approval: string; rule: string | null }[]
    }
    return [...new Set(items.filter(({ server }) => server === 'files').map(({ approval, rule }) => `${approval} by ${rule}`))]
  }
  await card.locator('summary', { hasText: 'Tools' }).click()
  await card.locator('.mcp-tools').getByText('runs without asking').first().waitFor()
  assert.deepEqual(await approvals(), ['auto by files__*'])

  await card.getByRole('button', { name: 'Restart' }).click()
  await stateOf('Ready')
  await card.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('There are no servers yet.').waitFor()
  assert.deepEqual(await approvals(), [])
  assert.deepEqual(complaints, [])
})
