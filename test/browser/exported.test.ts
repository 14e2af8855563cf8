// A conversation as one page: whatever is in it, nothing runs and nothing is asked for.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import type { ConversationPiece, ExportedTurn } from '../../src/archive/output/conversation-view.ts'
import { htmlPieces } from '../../src/archive/output/html.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { Session } from '../../src/model/session.ts'
import { PNG } from '../support/files.ts'
import { openBrowser, openTab } from './support/browser.ts'
import { FLAG, HOSTILE, HOSTILE_LINES } from './support/hostile-corpus.ts'

const opened = await openBrowser()
const at = '2026-01-02T03:04:05.000Z'

/** Every hostile text in every place of a page. */
async function* pieces(): AsyncGenerator<ConversationPiece> {
  for (const [index, text] of HOSTILE.entries()) {
    const line = HOSTILE_LINES[index % HOSTILE_LINES.length] ?? ''
    const image = {
      type: 'image',
      name: line,
      mediaType: 'image/png',
      hash: index % 2 === 0 ? 'good' : text,
      bytes: 1,
      tokens: 1,
    }
    const file = { type: 'text', name: text, mediaType: 'text/plain', text }
    yield { type: 'message', message: { type: 'message.received', text, from: line, at, parts: [image, file] } as never }
    const turn: ExportedTurn = {
      ...{ name: line, voice: line, at, wentOn: true, isCutAtLimit: true },
      parts: [
        { type: 'think', text },
        { type: 'text', text },
        {
          type: 'call',
          call: line,
          tool: text,
          args: text,
          argv: [text],
          answer: 'deny',
          reason: text,
          result: { ok: false, outcome: line, content: text },
        },
      ],
      requests: [{ step: 1, model: line, policy: text, estimated: 1, degraded: text, out: [{ reason: line, count: 1 }] }],
      end: { reason: 'failed', fault: { kind: 'bug', message: text, retryable: false } },
    }
    yield { type: 'turns', turns: index % 3 === 0 ? [turn, turn] : [turn] }
  }
  yield { type: 'damaged', row: { seq: 1, why: HOSTILE_LINES.join() } as Extract<Recorded, { type: 'damaged' }> }
}

describe('an exported page', { skip: 'why' in opened ? opened.why : false }, () => {
  const browser = opened as Browser
  after(() => browser.close())

  test('is harmless with every hostile text in every place, and fits a telephone', async t => {
    const folder = await mkdtemp(join(tmpdir(), 'turnwise-page-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'page.html')
    const title = HOSTILE_LINES.join(' ')
    const session = { id: 'ses_1', title, preview: null, agent: title, council: null, createdAt: at, updatedAt: at }
    let html = ''
    for await (const piece of htmlPieces(session as Session, pieces(), async hash => (hash === 'good' ? PNG : hash)))
      html += piece
    await writeFile(file, html)

    const { page, complaints } = await openTab(
      browser,
      'null',
      { viewport: { width: 390, height: 800 } },
      /request to (?:file|data):/,
    )
    const requests: string[] = []
    page.on('request', request => requests.push(request.url().slice(0, 60)))
    await page.goto(pathToFileURL(file).href)
    await page.evaluate(() => {
      for (const each of document.querySelectorAll('details')) each.open = true
    })
    const harm = await page.evaluate(flag => {
      const found: string[] = []
      if (flag in globalThis) found.push('a script ran')
      if (document.documentElement.scrollWidth > innerWidth) found.push(`as wide as ${document.documentElement.scrollWidth}`)
      const allowed =
        /^(?:header|main|article|section|details|summary|h[1-6]|p|bdi|time|div|pre|code|ul|ol|li|blockquote|hr|br|a|strong|em|del|table|thead|tbody|tr|th|td|figure|img)$/
      for (const element of document.body.querySelectorAll('*')) {
        if (!allowed.test(element.localName)) found.push(element.outerHTML.slice(0, 200))
        for (const { name, value } of element.attributes) {
          const isFine =
            /^(?:class|dir|datetime|start|open|alt|title)$/.test(name) ||
            (name === 'rel' && value === 'noopener noreferrer') ||
            (name === 'target' && value === '_blank') ||
            (name === 'href' && /^(?:https?:\/\/[^/]|mailto:[^/])/.test(value)) ||
            (name === 'src' && /^data:image\/png;base64,[\w+/=]+$/.test(value))
          if (!isFine) found.push(`${name}: ${element.outerHTML.slice(0, 200)}`)
        }
      }
      return found
    }, FLAG)
    assert.deepEqual(harm, [])
    assert.deepEqual(complaints, [])
    assert.deepEqual(
      requests.filter(url => !url.startsWith('data:image/png;base64,') && !url.startsWith(pathToFileURL(file).href.slice(0, 60))),
      [],
    )
    assert.ok((await page.locator('.markdown').count()) > HOSTILE.length)
    assert.ok((await page.textContent('h1'))?.includes(HOSTILE_LINES[0] ?? '-'))
  })
})
