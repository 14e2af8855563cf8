// Making the first agent on the page, and the ways back for a chat whose agent was removed.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { answered, say } from './support/acts.ts'
import { openBrowser, openTab, type Tab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'

const opened = await openBrowser()

describe('agents that come and go', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let tab: Tab
  let chat: string

  before(async () => {
    buildPage()
    // A workspace that was there before: it has neither agents nor councils of its own.
    gateway = await startGateway({}, {})
    // Whether a new agent's key is free is found out by asking for it.
    tab = await openTab(browser, gateway.url, {}, /status of 404/)
    await tab.page.goto(gateway.url)
    await say(tab.page, 'hello')
    await answered(tab.page, 1)
    chat = new URL(tab.page.url()).hash
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
  })

  const openChat = async (page: Page): Promise<void> => {
    await page.evaluate(hash => location.assign(hash), chat)
    await page.locator('.reply').waitFor()
  }
  const remove = async (page: Page, key: string): Promise<void> => {
    await page.evaluate(hash => location.assign(hash), `#/agents/${key}`)
    await page.getByRole('button', { name: 'Delete this agent' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/#\/agents$/)
  }
  const who = (page: Page): Promise<string> =>
    page
      .getByRole('combobox', { name: 'Who answers' })
      .evaluate(select => (select as HTMLSelectElement).selectedOptions[0]?.label ?? '')
  const agentOfChat = async (page: Page): Promise<string> =>
    (await (await page.request.get(`${gateway.url}/api/sessions/${chat.replace('#/s/', '')}`)).json()).agent

  test('the first agent that is made on the page leaves earlier and new chats to Assistant', async () => {
    const { page } = tab
    await page.evaluate(() => location.assign('#/agents/~new'))
    await page.getByRole('textbox', { name: 'Name' }).fill('Cy')
    await page.getByRole('textbox', { name: 'Prompt' }).fill('You are Cy.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/#\/agents\/cy$/)
    await openChat(page)
    assert.equal(await who(page), 'Assistant')
    assert.equal(await page.locator('.gone').count(), 0)
    await page.evaluate(() => location.assign('#/'))
    await page.locator('.welcome').waitFor()
    assert.equal(await who(page), 'Assistant')
  })

  test('a chat whose agent is gone says so, brings Assistant back at once, or is given to another', async () => {
    const { page } = tab
    await remove(page, 'assistant')
    await openChat(page)
    const notice = page.locator('.gone')
    await notice.getByText('The agent “assistant” was removed.').waitFor()
    assert.equal(await who(page), 'assistant (gone)', 'also where only one other could answer')
    const { violations } = await new AxeBuilder({ page }).analyze()
    assert.deepEqual(
      violations.filter(({ impact }) => impact === 'serious' || impact === 'critical'),
      [],
    )
    await notice.getByRole('button', { name: 'Restore Assistant' }).click()
    await notice.waitFor({ state: 'detached' })
    assert.equal(await who(page), 'Assistant')
    await page.waitForFunction(() => document.activeElement?.id === 'message')

    await remove(page, 'assistant')
    await page.getByRole('button', { name: 'Restore Assistant' }).waitFor()
    await openChat(page)
    await notice.getByRole('combobox', { name: 'Give this chat to' }).selectOption({ label: 'Cy' })
    await notice.waitFor({ state: 'detached' })
    assert.equal(await agentOfChat(page), 'cy')
    assert.equal(await page.getByRole('combobox', { name: 'Who answers' }).count(), 0, 'there is nobody else to choose')

    await page.evaluate(() => location.assign('#/agents'))
    await page.getByRole('button', { name: 'Restore Assistant' }).click()
    await page.waitForURL(/#\/agents\/assistant$/)
    await page.evaluate(() => location.assign('#/agents'))
    await page.getByRole('link', { name: 'Assistant', exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Restore Assistant' }).count(), 0)
    assert.deepEqual(tab.complaints, [])
  })
})
