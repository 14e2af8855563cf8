// The summaries that end below one row of the transcript.
import { useId, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Menu, type MenuItem } from '../../parts/menu/menu.tsx'
import { setOpen, useOpen } from '../../reply/receipt/details.tsx'
import { useActions, useStore, useWorkspaceApi } from '../../store/use-store.ts'
import { shownVoiceName } from '../../view/called.ts'
import { lookHash } from '../../view/route.ts'
import type { ModelRow } from '../../wire/workspace-api.ts'
import { foldByWords, foldFailedWords, foldingWords, foldLineWords, leftSentencesWords } from '../../words/fold-words.ts'
import { calendarDay } from '../../words/words.ts'
import { EditFold } from './edit-fold.tsx'
import type { PlacedFolds } from './placed-folds.ts'

/** Where earlier messages were summarized: one quiet line for each summary, which opens to its text. */
export function FoldLines({ placed: { made, making } }: { readonly placed: PlacedFolds }): React.ReactNode {
  return (
    <>
      {made.map(fold => (
        <FoldLine key={`${fold.from} ${fold.to} ${fold.voice ?? ''}`} fold={fold} />
      ))}
      {making.map(folding => (
        <FoldingLine key={folding.turn} folding={folding} />
      ))}
    </>
  )
}

type FoldProps = { readonly fold: PlacedFolds['made'][number] }

function FoldLine({ fold }: FoldProps): React.ReactNode {
  const body = useId()
  const place = `fold ${fold.from} ${fold.to} ${fold.voice ?? ''}`
  const isOpen = useOpen(place)
  const whose = useStore(state =>
    fold.voice === undefined ? '' : ` for ${shownVoiceName(state, { voice: fold.voice, name: null })}`,
  )
  return (
    <section className="fold-line" aria-label="Summary of earlier messages">
      <button
        type="button"
        className="fold-head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? body : undefined}
        onClick={() => setOpen(place, !isOpen)}
      >
        {foldLineWords(fold, fold.span)}
        {whose}
      </button>
      {isOpen && <FoldBody id={body} fold={fold} />}
    </section>
  )
}

function FoldBody({ id, fold }: FoldProps & { readonly id: string }): React.ReactNode {
  const [isEdited, setEdited] = useState(false)
  const { at, text, left } = fold
  return (
    <div className="fold-body" id={id}>
      <p className="fold-who">
        {foldByWords(fold)} · <time dateTime={at}>{calendarDay(at)}</time>
      </p>
      {isEdited ? (
        <EditFold fold={fold} onDone={() => setEdited(false)} />
      ) : (
        <>
          <p className="said fold-text">{text}</p>
          {left !== undefined && (
            <details className="fold-left">
              <summary>{leftSentencesWords(left.length)}</summary>
              <ul>
                {left.map(sentence => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            </details>
          )}
          <FoldActionsBar fold={fold} onEdit={() => setEdited(true)} />
        </>
      )}
    </div>
  )
}

type Opened = { readonly items: readonly MenuItem[]; readonly opener: HTMLElement }

/** A menu that is longer than this is no help. */
const MOST_MODELS = 12

function FoldActionsBar({ fold, onEdit }: FoldProps & { readonly onEdit: () => void }): React.ReactNode {
  const { redoFold, removeFold } = useActions()
  const workspaceApi = useWorkspaceApi()
  const session = useStore(state => state.session)
  const [opened, setOpened] = useState<Opened | null>(null)
  const redo = async (opener: HTMLElement): Promise<void> => {
    const models = await workspaceApi.models()
    const listed: readonly ModelRow[] = models.ok ? models.value.items.filter(({ ready }) => ready) : []
    const run = (wish: Parameters<typeof redoFold>[1]) => (): void => void redoFold(fold.seq, wish).catch(reportError)
    setOpened({
      opener,
      items: [
        { words: 'With this chat’s model', run: run({ by: 'model' }) },
        { words: 'Word for word, without a model', run: run({ by: 'extract' }) },
        ...(listed.length === 0
          ? []
          : [
              {
                words: 'With another model',
                items: listed.slice(0, MOST_MODELS).map(({ name }) => ({ words: name, run: run({ by: 'model', model: name }) })),
              },
            ]),
      ],
    })
  }
  return (
    <p className="fold-actions">
      <button type="button" className="link" onClick={onEdit}>
        Edit
      </button>
      <button
        type="button"
        className="link"
        aria-haspopup="menu"
        onClick={({ currentTarget }) => {
          if (opened === null) redo(currentTarget).catch(reportError)
          else setOpened(null)
        }}
      >
        Redo
      </button>
      <button type="button" className="link" onClick={() => removeFold(fold).catch(reportError)}>
        Remove
      </button>
      {fold.turn !== undefined && session !== null && (
        <a className="link" href={lookHash(session, { turn: fold.turn, step: null })}>
          Inspect
        </a>
      )}
      {opened !== null && (
        <Menu label="Make this summary again" items={opened.items} opener={opened.opener} onClose={() => setOpened(null)} />
      )}
    </p>
  )
}

function FoldingLine({ folding }: { readonly folding: PlacedFolds['making'][number] }): React.ReactNode {
  const { summarize } = useActions()
  const { span, failed, from, to, voice } = folding
  if (failed === null)
    return (
      <p className="fold-line fold-running" role="status">
        {foldingWords(span)}
      </p>
    )
  const again = (): void => void summarize({ from, to, ...(voice === undefined ? {} : { voice }) }).catch(reportError)
  return (
    <p className="fold-line fold-failed">
      <Icon name="info" />
      <span>{foldFailedWords(span, failed)}</span>
      <button type="button" className="link" onClick={again}>
        Try again
      </button>
    </p>
  )
}
