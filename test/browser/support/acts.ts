import type { Page } from 'playwright-core'

/** What a person does and sees, in words. */

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

export const lastReply = (page: Page): Promise<string> =>
  page
    .locator('.reply')
    .last()
    .locator('.spoken')
    .allTextContents()
    .then(texts => texts.join('\n'))

/** Until so many replies are there and none is running; the page counts, as it draws only those near the window. */
export async function answered(page: Page, replies: number): Promise<void> {
  await page.waitForFunction(
    wanted => document.querySelector(`.entries[data-replies="${wanted}"][data-running="0"]`) !== null,
    replies,
  )
}

/** What a person said, from the first message on: in a window so tall that all of it is drawn. */
export async function bubbles(page: Page): Promise<readonly string[]> {
  const size = page.viewportSize()
  await page.setViewportSize({ width: size?.width ?? 1280, height: 6000 })
  await page.waitForFunction(() => {
    const wanted = document.querySelector<HTMLElement>('.entries')?.dataset.rows
    return document.querySelectorAll('.passage').length === Number(wanted)
  })
  const texts = await page.locator('.bubble').allTextContents()
  if (size !== null) await page.setViewportSize(size)
  return texts
}

/** Until the running reply has so many letters. */
export async function growing(page: Page, letters: number): Promise<void> {
  await page.waitForFunction(
    wanted => (document.querySelector('.spoken[data-growing="true"]')?.textContent.length ?? 0) >= wanted,
    letters,
  )
}

/** From now on, and after every reload, each text the last reply shows is noted as it changes. */
export async function noteGrowth(page: Page): Promise<() => Promise<readonly string[]>> {
  const note = (): void => {
    const seen: string[] = []
    Object.assign(globalThis, { seen })
    new MutationObserver(() => {
      const text = [...document.querySelectorAll('.reply')].at(-1)?.querySelector('.spoken')?.textContent ?? ''
      if (text !== '' && text !== seen.at(-1)) seen.push(text)
    }).observe(document, { subtree: true, childList: true, characterData: true })
  }
  await page.addInitScript(note)
  await page.evaluate(note)
  return () => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
}
