/**
 * A node without its database passes on what a model says before its request is in the log. When that is saved, its event comes in
 * the middle of the reply, and means no new one.
 */
import type { Frame } from '../../gateway/http/frames.ts'

type Said = { readonly text: string; readonly isPlanned: boolean }

/** The frames of one connection as a hearing takes them: a reply that goes on behind its request is said once more from its beginning. */
export function createLatePlans(): (frame: Frame) => readonly Frame[] {
  const said = new Map<string, Said>()
  const keyOf = ({ turn, step }: Frame['data']): string => `${turn} ${step} `
  const saidOf = (data: Frame['data']) => [...said].filter(([key]) => key.startsWith(keyOf(data)))
  return frame => {
    const { event, data } = frame
    if (event === 'context.planned') for (const [key, { text }] of saidOf(data)) said.set(key, { text, isPlanned: true })
    if (event === 'reply.finished' || event === 'reply.broken') for (const [key] of saidOf(data)) said.delete(key)
    if (event !== 'delta') return [frame]
    const key = `${keyOf(data)}${data.part}`
    const { text, isPlanned } = said.get(key) ?? { text: '', isPlanned: false }
    said.set(key, { text: text.slice(0, data.offset) + data.text, isPlanned: false })
    const goesOn = isPlanned && data.offset > 0 && data.offset === text.length
    return goesOn ? [{ event, data: { ...data, offset: 0, text } }, frame] : [frame]
  }
}
