/** The items of a request that sends the conversation as one transcript. */
import type { ResultImage } from '../../model/event.ts'
import { imagesOfText, tokensOfImages } from '../../model/message/attachment.ts'
import type { Block, Material, PlanItem } from '../../model/plan.ts'
import {
  type Aware,
  type Beat,
  endOf,
  type Heard,
  isCall,
  messageOf,
  orderOf,
  PER_MESSAGE,
  type SaidBeat,
} from '../stages/draft.ts'
import { asideItems, beatItem, frontItems, textMessage } from '../stages/plan-items.ts'
import { fileBlocks, fileTokens, heardText, imageBlocks } from '../text/attachments.ts'
import { readable } from '../text/readable.ts'
import type { Measure } from '../text/tokens.ts'
import { entriesOf } from '../window/transcript-entries.ts'
import { format, OPEN_TEXTS, type TranscriptEvent, type TranscriptForm } from './format.ts'

/**
 * A conversation as one text. At the first step the history is a message of its own before the new one; once a cycle goes
 * on, history and cycle are one text that ends where the model is to go on.
 */
export function transcriptItems(
  aware: Aware,
  material: Material,
  measure: Measure,
  form: TranscriptForm = OPEN_TEXTS,
): PlanItem[] {
  const past = [...aware.head, ...aware.pins, ...aware.past].sort((a, b) => orderOf(a) - orderOf(b))
  const history = past.flatMap(entries).filter(entry => entry.type !== 'think')
  const total = aware.entries ?? history.length + omittedEntries(aware, material, past)
  const shown = total > history.length ? { shown: { last: history.length, of: total } } : {}
  const goesOn = aware.current.some(beat => beat.kind === 'said')
  const historyText = history.length === 0 ? '' : format({ history, ...shown, current: [] }, form)

  const historyItem: PlanItem[] =
    history.length === 0
      ? []
      : [
          {
            kind: 'message',
            reason: 'recent.window',
            tokens: measure.count(historyText) + (goesOn ? 0 : PER_MESSAGE),
            hash: measure.hash(historyText),
            from: past[0]?.seq ?? 0,
            to: past.reduce((most, beat) => Math.max(most, endOf(beat)), 0),
            keys: past.map(messageOf),
            messages: goesOn ? [] : [textMessage('user', historyText)],
            text: historyText,
          },
        ]
  const asides = aware.asides.flatMap(aside => asideItems(aside, measure))
  const front = [aware.pinned, aware.folds].flatMap(block => (block ? frontItems(block, measure) : []))
  if (!goesOn) return [...front, ...historyItem, ...asides, ...aware.current.map(beat => beatItem(beat, NEW, measure))]

  const current = joined(aware.current.flatMap(entries))
  const isCutOff = aware.current.some(beat => beat.kind === 'said' && beat.isBroken === true)
  const asked: Block[] = isCutOff ? [textBlock(GO_ON)] : []
  const whole = format({ history, ...shown, current }, form)
  const cycleText = format({ history: [], current }, form)
  // What the turn is about stays in sight while it goes on; the text can only mention it.
  const heard = aware.current.filter(beat => beat.kind === 'heard')
  const results = aware.current.flatMap(beat => (beat.kind === 'said' ? shownImages(beat) : []))
  const files = [
    ...heard.flatMap(fileBlocks),
    ...results.flatMap(({ line, images }) => [textBlock(line), ...imageBlocks(images)]),
  ]
  const sight =
    heard.reduce((sum, beat) => sum + sightOf(beat, material, measure), 0) +
    results.reduce((sum, { line, images }) => sum + measure.count(line) + tokensOfImages(images), 0)
  const cycle: PlanItem = {
    kind: 'current',
    reason: 'current.cycle',
    tokens: measure.count(cycleText) + (isCutOff ? measure.count(GO_ON) : 0) + sight + PER_MESSAGE,
    hash: measure.hash(files.length + asked.length === 0 ? whole : JSON.stringify([files, whole, ...asked])),
    from: aware.current[0]?.seq ?? material.turn.cause,
    to: aware.current.reduce((most, beat) => Math.max(most, endOf(beat)), 0),
    keys: [...new Set(aware.current.map(messageOf))],
    messages: [{ role: 'user', blocks: [...files, textBlock(whole), ...asked] }],
    // The history before it is an item of its own.
    text: readable([...files, textBlock(cycleText), ...asked]),
  }
  return [...front, ...historyItem, ...asides, cycle]
}

const textBlock = (text: string): Block => ({ type: 'text', text })

/** The images of a reply's results, each list with a line that says whose they are: they are beside the text that mentions them. */
const shownImages = ({
  parts,
  answers,
}: SaidBeat): readonly { readonly line: string; readonly images: readonly ResultImage[] }[] =>
  parts.filter(isCall).flatMap(({ call, tool }) => {
    const images = answers.find(answer => answer.call === call)?.images
    return images === undefined ? [] : [{ line: imagesOfText(tool, images.length), images }]
  })

const sightOf = ({ attachments }: Heard, { model }: Material, measure: Measure): number =>
  attachments.reduce((sum, file) => sum + (file.type === 'text' ? 0 : fileTokens(file, model.abilities, measure)), 0)

/** Follows the transcript of an answer that was cut off: without it, models tend to begin anew. */
const GO_ON =
  '[You were cut off at the very end of the transcript above. Go on from exactly there: write only what comes next, and repeat nothing that stands in it.]'

const NEW = { kind: 'current', reason: 'current.message' } as const

/** A beat as entries of a transcript, in the order in which they happened. */
function entries(beat: Beat): TranscriptEvent[] {
  if (beat.kind === 'heard') return [{ type: 'user', text: heardText(beat) }]
  if (beat.kind === 'summary') return [{ type: 'user', text: beat.text }]
  const said = beat.parts.flatMap((part): TranscriptEvent[] => {
    if (part.type === 'text') return [{ type: 'respond', text: part.text }]
    return part.type === 'think' ? [{ type: 'think', text: part.text }] : []
  })
  const used = beat.parts.filter(isCall).flatMap((part): TranscriptEvent[] => {
    const answer = beat.answers.find(each => each.call === part.call)
    const [outcome = '', ...content] = (answer?.text ?? '').split('\n\n')
    return [
      { type: 'call', name: part.tool, args: part.args },
      { type: 'result', outcome, ...(content.length === 0 ? {} : { content: content.join('\n\n') }) },
    ]
  })
  return [...joined(said), ...used]
}

/** Two pieces of text with nothing between them are one answer. */
function joined(events: readonly TranscriptEvent[]): TranscriptEvent[] {
  const all: TranscriptEvent[] = []
  for (const event of events) {
    const last = all.at(-1)
    if (last?.type === 'respond' && event.type === 'respond')
      all[all.length - 1] = { type: 'respond', text: last.text + event.text }
    else all.push(event)
  }
  return all
}

/**
 * Entries of the past that are not shown, as the first two versions counted them: as far as they were read, also those that the
 * voice does not hear. What was not read is counted by its messages.
 */
function omittedEntries({ left }: Aware, material: Material, past: readonly Beat[]): number {
  if (!left.some(item => item.reason === 'out.window' || item.reason === 'out.store-unavailable')) return 0
  const first = past[0]?.seq ?? material.turn.cause
  const shownEntries = past.reduce((sum, beat) => sum + entriesOf(beat), 0)
  const all = material.events.reduce((sum, event) => sum + (event.seq < material.turn.cause ? entriesIn(event) : 0), 0)
  const unread = material.gaps.reduce((sum, gap) => sum + gap.messages, 0)
  const readBefore = Math.max(0, all - shownEntries)
  return first === material.turn.cause && past.length === 0 ? all + unread : readBefore + unread
}

function entriesIn(event: Material['events'][number]): number {
  if (event.type === 'message.received' || event.type === 'tool.settled') return 1
  if (event.type !== 'reply.finished') return 0
  return (event.parts.some(part => part.type === 'text') ? 1 : 0) + event.parts.filter(isCall).length
}
