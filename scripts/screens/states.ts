// Lists the states of the page that get a picture.
import type { Page } from 'playwright-core'
import type { Place } from './place.ts'
import { LONG_ANSWER, LONG_QUESTION, TRIP, TRIP_ANSWER, TRIP_FILLING, TRIP_QUESTION, text } from './story.ts'
import { open, post, round, say, type Told } from './tell.ts'

type Scene = {
  readonly page: Page
  readonly place: Place
  readonly told: Told
  /** Called with the id of a session that was made only for this picture. */
  readonly onMade: (session: string) => void
}

/** Something to take a picture of, and the way to show it. */
export type ScreenState = { readonly name: string; readonly show: (scene: Scene) => Promise<void> }

const at = async ({ page, place }: Scene, hash: string): Promise<void> => {
  await page.goto(`${place.url}/#/${hash}`)
  await page.locator('#page > .app').waitFor()
}

/** Waits until the conversation is loaded and no reply is running. */
const settled = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const replies = [...document.querySelectorAll('.reply')]
    return replies.length > 0 && replies.every(reply => reply.getAttribute('data-running') === 'false')
  })

export const STATES: readonly ScreenState[] = [
  {
    name: 'welcome',
    show: async scene => {
      await at(scene, '')
      await scene.page.getByRole('heading', { name: 'What is on your mind?' }).waitFor()
    },
  },
  {
    name: 'first-run',
    show: async scene => {
      // As it is in a new workspace, whose default is the demo.
      await scene.page.route('**/api/models', async route => {
        const answer = await route.fetch()
        await route.fulfill({ response: answer, json: { ...(await answer.json()), default: 'demo' } })
      })
      await scene.page.route('**/api/providers', route => route.fulfill({ json: { items: [], templates: [] } }))
      await at(scene, '')
      await scene.page.getByRole('region', { name: 'You are talking to a demo' }).waitFor()
    },
  },
  {
    name: 'model-picker',
    show: async scene => {
      await at(scene, `s/${scene.told.chat}`)
      await settled(scene.page)
      await scene.page.getByRole('button', { name: /^Model and policy/ }).click()
      await scene.page.locator('#tune-model').click()
      await scene.page.getByRole('dialog').getByRole('option').first().waitFor()
    },
  },
  {
    name: 'chat',
    show: async scene => {
      await at(scene, `s/${scene.told.chat}`)
      await settled(scene.page)
      await scene.page.locator('.katex').first().waitFor()
      await scene.page.getByRole('region', { name: 'Conversation', exact: true }).evaluate(box => box.scrollTo(0, 0))
      await scene.page.locator('.hljs-keyword').first().waitFor()
    },
  },
  {
    name: 'branches',
    show: async scene => {
      await at(scene, `s/${scene.told.branch}`)
      await settled(scene.page)
      await scene.page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
    },
  },
  {
    name: 'streaming',
    show: async scene => {
      const { page, place } = scene
      const session = await open(place, { agent: 'engineer', title: 'A log, explained' })
      place.writer.say(LONG_ANSWER)
      await post(place, `/api/sessions/${session}/messages`, { text: LONG_QUESTION })
      await at(scene, `s/${session}`)
      await page.waitForFunction(() => (document.querySelector('.reply .spoken')?.textContent?.length ?? 0) > 500)
      scene.onMade(session)
    },
  },
  {
    name: 'approval',
    show: async scene => {
      await at(scene, `s/${scene.told.approval}`)
      await scene.page.locator('.approval').waitFor()
    },
  },
  {
    name: 'window',
    show: async scene => {
      await at(scene, `s/${scene.told.window}`)
      await settled(scene.page)
      await scene.page.locator('.ring').click()
    },
  },
  {
    name: 'forgotten',
    show: async scene => {
      const { page, place } = scene
      const session = await open(place, { agent: 'editor', policy: 'recent', title: 'Names for the boat' })
      scene.onMade(session)
      const talk = ['It is 4.20 m long and blue.', 'It must be short.', 'No birds, please.', 'And now one from a song.']
      const answers = ['Then “Kobalt”.', '“Ida”.', '“Ida” it is.', '“Layla”, if you can bear the guitar.']
      for (const [index, words] of talk.slice(0, 3).entries()) await say(place, session, words, [text(answers[index] ?? '')])
      await at(scene, `s/${session}`)
      await settled(page)
      await say(place, session, talk[3] ?? '', [text(answers[3] ?? '')])
      await page.locator('.notice[data-kind="window"]').waitFor()
      await page.getByText('Saw 5 of 7 messages').waitFor()
      await page.locator('.boundary').scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'recalled',
    show: async scene => {
      await askAboutTrip(scene)
      const line = scene.page.getByRole('button', { name: /^Recalled/ }).last()
      await line.click()
      await scene.page.getByRole('list', { name: 'Recalled messages' }).waitFor()
      await scene.page.mouse.move(0, 0)
    },
  },
  {
    name: 'recall-inspector',
    show: async scene => {
      await askAboutTrip(scene)
      await scene.page.keyboard.press('Control+i')
      const inspector = scene.page.getByRole('complementary', { name: 'Inspector' })
      await inspector.getByText('Verified').waitFor()
      await inspector.locator('.item', { hasText: 'Recalled: matches' }).click()
      await inspector.locator('.item', { hasText: 'Quoted message' }).first().click()
    },
  },
  {
    name: 'council',
    show: async scene => {
      const session = await round(scene.place)
      await at(scene, `s/${session}`)
      await settled(scene.page)
      await scene.page.getByRole('region', { name: 'Conversation', exact: true }).evaluate(box => box.scrollTo(0, 0))
      scene.onMade(session)
    },
  },
  {
    name: 'inspector',
    show: async scene => {
      await at(scene, `s/${scene.told.chat}`)
      await settled(scene.page)
      await scene.page.keyboard.press('Control+i')
      await scene.page.getByRole('complementary', { name: 'Inspector' }).getByText('Verified').waitFor()
    },
  },
  {
    name: 'timeline',
    show: async scene => {
      await at(scene, `s/${scene.told.window}`)
      await settled(scene.page)
      await scene.page.keyboard.press('Control+i')
      await scene.page.getByRole('tab', { name: 'Timeline' }).click()
      await scene.page.getByRole('complementary', { name: 'Inspector' }).locator('svg').first().waitFor()
    },
  },
  { name: 'council-editor', show: async scene => loaded(scene, 'councils/board') },
  { name: 'agents', show: async scene => loaded(scene, 'agents') },
  { name: 'agent-editor', show: async scene => loaded(scene, 'agents/engineer') },
  { name: 'skills', show: async scene => loaded(scene, 'skills') },
  { name: 'policies', show: async scene => loaded(scene, 'policies') },
  { name: 'models', show: async scene => loaded(scene, 'models') },
  { name: 'settings', show: async scene => loaded(scene, 'settings') },
  { name: 'usage', show: async scene => loaded(scene, 'usage') },
  {
    name: 'palette',
    show: async scene => {
      await at(scene, `s/${scene.told.chat}`)
      await settled(scene.page)
      await scene.page.keyboard.press('Control+k')
      await scene.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'shortcuts',
    show: async scene => {
      await at(scene, `s/${scene.told.chat}`)
      await settled(scene.page)
      await scene.page.getByRole('region', { name: 'Conversation', exact: true }).focus()
      await scene.page.keyboard.press('?')
      await scene.page.getByRole('dialog').waitFor()
    },
  },
]

/** A chat that is too long for its policy, with a question about its beginning. */
async function askAboutTrip(scene: Scene): Promise<void> {
  const { page, place } = scene
  const session = await open(place, { agent: 'editor', policy: 'short', title: 'A week at the pier' })
  scene.onMade(session)
  const counted = (words: string) => [{ ...text(words), usage: { input: 2100, output: 12 } }]
  for (const [question, answer] of TRIP) await say(place, session, question + TRIP_FILLING.repeat(2), counted(answer))
  await say(place, session, TRIP_QUESTION, counted(TRIP_ANSWER))
  await at(scene, `s/${session}`)
  await settled(page)
}

const loaded = async (scene: Scene, hash: string): Promise<void> => {
  await at(scene, hash)
  await scene.page.locator('.workspace-page h2').first().waitFor()
}
