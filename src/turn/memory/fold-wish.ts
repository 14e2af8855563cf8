/** Works out what a person who asks for a fold means: which stretch, whose view, and who makes it. */
import { type DueFold, foldAsked, foldTokens } from '../../context/fold/fold-range.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { VoiceId } from '../../model/voice.ts'
import { namesIn } from '../equipment/system-text.ts'
import type { Services } from '../services.ts'
import { type FoldRecord, type FoldTask, foldRecordOf, makerFor, spaceOf } from './fold-due.ts'
import { unitsSince, voicesIn } from './fold-view.ts'
import type { Fold, FoldWish } from './folds.ts'

const NOTHING: Fault = fault('conflict', 'there is nothing to summarize here: the last exchange always stays as it is')

/** The fold that a person asks for: of whole turns, from where the last request began up to before the last exchange, unless it is said. */
export async function taskAsked(services: Services, session: Session, wish: FoldWish): Promise<Result<FoldTask, Fault>> {
  const record = await recordFor(services, session, wish.voice)
  if (!record.ok) return record
  const { view, planned } = record.value
  const factor = await services.factors.of(view.choice.model.name)
  const from = wish.from ?? planned?.receipt.window.begins ?? 1
  const eye = { voice: view.voice, view: view.of === undefined ? 'all' : 'own' } as const
  if (wish.to !== undefined && wish.to < from)
    return err(fault('invalid', `to: what is sent begins at ${from}; name from, too, to summarize what is before that`))
  // A stretch begins with a turn, which may have begun before the seq that a person names.
  const units = await unitsSince(services, session, eye, wish.from === undefined ? from : 1)
  if (!units.ok) return units
  const to = wish.to ?? Number.MAX_SAFE_INTEGER
  const due = foldAsked({ units: units.value, from, to, room: roomOf(record.value, factor), factor, setting: view.setting })
  if (due === undefined || due.tokens < 1) return err(NOTHING)
  return taskOf(services, record.value, wish, { ...stretchOf(due), asked: true })
}

const stretchOf = ({ from, to, tokens }: DueFold): Pick<DueFold, 'from' | 'to' | 'tokens'> => ({ from, to, tokens })

/** The same stretch once more, from its original words. */
export async function taskAgain(
  services: Services,
  session: Session,
  { seq, from, to, voice, folded = 0, asked, tokens, by }: Fold,
  wish: Pick<FoldWish, 'by' | 'model'>,
): Promise<Result<FoldTask, Fault>> {
  const record = await recordFor(services, session, voice)
  if (!record.ok) return record
  const factor = await services.factors.of(record.value.view.choice.model.name)
  const most = Math.max(tokens, foldTokens(record.value.view.setting, folded, roomOf(record.value, factor) / factor))
  const range = { from, to, replaces: seq, tokens: most, ...(asked === undefined ? {} : { asked }) }
  const same = wish.by === undefined && wish.model === undefined && by !== 'person' ? { by } : {}
  return taskOf(services, record.value, { ...same, ...wish }, range)
}

/** What is known of the folds of the voice that is meant, or why it has none. */
async function recordFor(services: Services, session: Session, wanted: VoiceId | undefined): Promise<Result<FoldRecord, Fault>> {
  const voices = voicesIn(services, session)
  if (wanted !== undefined && !voices.includes(wanted))
    return err(fault('invalid', `voice: there is no "${wanted}" here; known: ${voices.join(', ')}`))
  if (wanted === undefined && voices.length > 1) {
    const names = namesIn(services, session)
    const known = voices.map(voice => `${voice} (${names[voice] ?? voice})`).join(', ')
    return err(fault('invalid', `voice: each advisor has its own view; name one of ${known}`))
  }
  const record = await foldRecordOf(services, session, wanted ?? voices[0] ?? '')
  if (!record.ok) return record
  if (record.value === undefined)
    return err(fault('conflict', `the policy "${session.policy}" uses no summaries; choose one with "fold"`))
  return ok(record.value)
}

/** Where nothing was sent yet, all of the model's window counts as room. */
function roomOf({ view, planned }: FoldRecord, factor: number): number {
  return planned === undefined ? view.choice.model.window : spaceOf(view, planned.receipt, factor).room
}

async function taskOf(
  services: Services,
  { view, planned }: FoldRecord,
  { by, model }: Pick<FoldWish, 'by' | 'model'>,
  stretch: FoldTask['range'],
): Promise<Result<FoldTask, Fault>> {
  const named = model === undefined ? ok(view.choice.model) : services.models.named(model)
  if (!named.ok) return named
  const range = { ...stretch, ...(view.of === undefined ? {} : { voice: view.of }) }
  const setting = { by: by ?? (model === undefined ? view.setting.by : 'model') }
  const maker = (await makerFor(services, setting, named.value, { range, planned, tries: 0 })) ?? 'extract'
  return ok({ range, by: maker, model: named.value.name, cause: planned?.receipt.inputs.cause ?? range.from })
}
