// Everything that others say, in all the places where the page shows it, wants to be more than text.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type Fake, type Script, startFake } from '../../src/testing/index.ts'
import { answered } from './support/acts.ts'
import { openBrowser, openTab, type Tab } from './support/browser.ts'
import { buildPage, type Gateway, startGateway } from './support/gateway.ts'
import { harmIn, reachesOut } from './support/harm-in-page.ts'
import { HOSTILE, HOSTILE_LINES } from './support/hostile-corpus.ts'

const MODEL = 'compatible/liar/model'

/** So many in one reply; each reply is looked at alone. */
const TOGETHER = 40

const opened = await openBrowser()

describe('hostile texts', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  let gateway: Gateway
  let liar: Fake
  let tab: Tab
  const happened: string[] = []

  before(async () => {
    buildPage()
    liar = await startFake({ wire: 'openai', flavour: 'openrouter' })
    gateway = await startGateway({}, { model: MODEL, providers: { liar: { baseURL: liar.url } } })
    tab = await openTab(browser, gateway.url)
    tab.page.on('dialog', dialog => {
      happened.push(`a dialog: ${dialog.message()}`)
      dialog.dismiss().catch(() => {})
    })
    tab.page.context().on('page', other => happened.push(`another page: ${other.url()}`))
    tab.page.on('framenavigated', frame => {
      if (!frame.url().startsWith(gateway.url)) happened.push(`went to ${frame.url()}`)
    })
  })
  after(async () => {
    await browser.close()
    await gateway?.stop()
    await liar?.close()
  })

  const post = async (path: string, data: object, method: 'post' | 'put' = 'post'): Promise<{ readonly id: string }> => {
    const answer = await tab.page.request[method](`${gateway.url}/api/${path}`, { data })
    assert.ok(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }

  /** Opens a session, says something in it, and waits until it is answered as the script has it. */
  const conversation = async (message: object, wishes: object, ...scripts: readonly Script[]): Promise<Page> => {
    const { page } = tab
    // With a title of its own, so that nobody is asked for one in between.
    const { id } = await post('sessions', { title: 'Hostile', ...wishes })
    await page.goto(`${gateway.url}/#/s/${id}`)
    liar.say(...scripts)
    await post(`sessions/${id}/messages`, message)
    await answered(page, 1)
    return page
  }

  const assertHarmless = async (what: string): Promise<void> => {
    assert.deepEqual(await harmIn(tab.page), [], what)
    assert.deepEqual(await reachesOut(tab.page), [], what)
    assert.deepEqual(happened.splice(0), [], what)
    assert.deepEqual(tab.complaints, [], what)
  }

  test('in replies, while they grow and when they are whole, and in thoughts', async () => {
    for (let from = 0; from < HOSTILE.length; from += TOGETHER) {
      const text = HOSTILE.slice(from, from + TOGETHER).join('\n\n')
      const page = await conversation(
        { text: 'go on' },
        {},
        {
          says: [
            { type: 'think', text },
            { type: 'text', text },
          ],
          every: 400,
        },
      )
      const thoughts = page.locator('.thinking > summary')
      assert.equal(await thoughts.count(), 1)
      await thoughts.click()
      await page.waitForFunction(() => document.querySelectorAll('.markdown').length === 2)
      await page.evaluate(async () => {
        await document.fonts.ready
        document.querySelector('.scroller')?.scrollTo(0, 1e6)
      })
      await assertHarmless(`payloads from ${from} on`)
    }
  })

  test('in what a person says, brings along, and names', async () => {
    for (const [index, line] of HOSTILE_LINES.entries()) {
      const key = `k${index}`
      await post(`agents/${key}`, { name: line, prompt: line, description: line }, 'put')
      await post(`councils/${key}`, { name: line, advisors: [{ name: line, description: line }] }, 'put')
      const project = await tab.page.request.put(`${gateway.url}/api/projects/${encodeURIComponent(line)}`, {
        data: { context: '' },
      })
      assert.equal(project.status(), 400, 'a project has no such name at all')
      const page = await conversation(
        {
          text: `${line}\n\n${HOSTILE.slice(index * 20, index * 20 + 20).join('\n')}`,
          parts: [{ type: 'file', name: line.replaceAll('/', '-'), mediaType: 'text/plain', data: btoa('words') }],
        },
        { title: line, agent: key },
        { says: [{ type: 'text', text: 'ok' }] },
      )
      assert.ok((await page.locator('.bubble').textContent())?.startsWith(line), 'what was said is text')
      const words = visible((await page.locator('.message').textContent()) ?? '')
      assert.ok(words.includes(visible(line.replaceAll('/', '-'))), 'so is the name of a file')
      await assertHarmless(`a person's ${line}`)

      await conversation({ text: line }, { title: line, council: key }, { says: [{ type: 'text', text: line }] })
      await assertHarmless(`a council's ${line}`)
    }
    for (const each of ['agents', 'councils', 'agents/k0', 'councils/k0']) {
      await tab.page.goto(`${gateway.url}/#/${each}`)
      await tab.page.waitForFunction(isShown, HOSTILE_LINES[0])
      await assertHarmless(`the page of ${each}`)
    }
  })

  test('in what a tool is asked, what it answers, and what goes wrong', async () => {
    for (const line of HOSTILE_LINES) {
      const args = JSON.stringify({ zone: line })
      const called: Script = { says: [{ type: 'call', tool: 'clock_now', args }] }
      const page = await conversation({ text: 'what time is it?' }, {}, called, { says: [{ type: 'text', text: 'late' }] })
      await page.locator('.tool > summary').click()
      await page.locator('.tool pre').nth(1).waitFor()
      assert.deepEqual(JSON.parse((await page.locator('.tool pre').first().textContent()) ?? ''), { zone: line })
      await assertHarmless(`a tool's ${line}`)

      const body = JSON.stringify({ error: { message: line, type: 'invalid_request_error', code: null } })
      await conversation({ text: 'go on' }, {}, { faults: [{ type: 'status', code: 400, body }] })
      await page.locator('.reply .fault').waitFor()
      await assertHarmless(`a fault's ${line}`)
    }
  })
})

/** Without what turns the direction of writing, which the name of a file may have lost on its way. */
const visible = (text: string): string => text.replace(/\p{Cf}/gu, '')

/** In the main part of the page, as words or in a field. */
function isShown(line: string | undefined): boolean {
  const main = document.querySelector('main')
  const fields = [...(main?.querySelectorAll<HTMLInputElement>('input, textarea') ?? [])]
  return line !== undefined && (main?.textContent.includes(line) === true || fields.some(({ value }) => value === line))
}
