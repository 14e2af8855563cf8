// The save button of a form, with what became of the last save.
import { useEffect, useRef } from 'react'
import { ProblemBox } from './problem-box.tsx'
import type { Editing } from './use-edit.ts'

type SaveBarProps<Value> = {
  readonly editing: Editing<Value>
  /** The paths of fields that show their own errors. */
  readonly fields: readonly string[]
  /** What it is, as in "agent". */
  readonly thing: string
  readonly isNew: boolean
}

/** The state of the edit, always in sight: unsaved, saved, refused, or changed by another person meanwhile. */
export function SaveBar<Value>({ editing, fields, thing, isNew }: SaveBarProps<Value>): React.ReactNode {
  const { isChanged, isSaving, isSaved, problem, meanwhile, save, overwrite, takeTheirs, discard } = editing
  const bar = useRef<HTMLDivElement>(null)
  useSaveKey(isChanged && !isSaving && meanwhile === null, save)
  // The button that was pressed is off or gone by now: the keyboard goes on at what is wrong, or on the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever saving has ended
  useEffect(() => {
    if (isSaving || document.activeElement !== document.body) return
    const wrong = bar.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (!isSaved && problem === null) return
    // Not behind this bar.
    wrong?.scrollIntoView({ block: 'center' })
    ;(wrong ?? bar.current?.closest<HTMLElement>('.workspace-page'))?.focus({ preventScroll: true })
  }, [isSaving])
  return (
    <div ref={bar} className="save-bar" data-shown={isChanged || isSaved || problem !== null}>
      {problem !== null && <ProblemBox problem={problem} fields={fields} />}
      {meanwhile !== null ? (
        <div className="save-row" role="alert">
          <span className="save-words">
            <strong>{meanwhileTitle(thing, isNew, meanwhile.theirs === null)}</strong> Nothing was overwritten; your changes are
            still here.
          </span>
          {meanwhile.theirs !== null && !isNew && (
            <button type="button" className="button" onClick={takeTheirs}>
              Reload theirs
            </button>
          )}
          <button type="button" className="button danger" disabled={isSaving} onClick={() => overwrite().catch(reportError)}>
            {meanwhile.theirs === null ? 'Save it again' : 'Overwrite with mine'}
          </button>
        </div>
      ) : (
        <div className="save-row">
          <span className="save-words" role="status">
            {isSaving ? 'Saving …' : isChanged ? 'Unsaved changes' : isSaved ? 'Saved' : ''}
          </span>
          {isChanged && (
            <>
              <button type="button" className="button" disabled={isSaving} onClick={discard}>
                Discard
              </button>
              <button type="submit" className="button primary" disabled={isSaving}>
                Save
              </button>
            </>
          )}
        </div>
      )}
    </div>
  )
}

function meanwhileTitle(thing: string, isNew: boolean, isGone: boolean): string {
  if (isNew) return `There already is one under this key or name; choose another.`
  return isGone ? `This ${thing} was deleted meanwhile.` : `This ${thing} was changed by somebody else meanwhile.`
}

/** Ctrl+S or ⌘S saves, as in every editor. */
function useSaveKey(isOn: boolean, save: () => Promise<void>): void {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      save().catch(reportError)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isOn, save])
}
