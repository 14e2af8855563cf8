// What a person can do when messages are no longer sent.
import { useState } from 'react'
import { Menu, type MenuItem } from '../parts/menu/menu.tsx'
import type { Store } from '../store/store.ts'
import { useActions, useStore, useWorkspaceApi } from '../store/use-store.ts'
import { pinnableAbove } from '../view/boundary.ts'
import { lookHash } from '../view/route.ts'
import type { Boundary } from '../view/view.ts'
import type { ModelRow, WorkspaceApi } from '../wire/workspace-api.ts'
import { shortCount } from '../words/amounts.ts'
import { windowWords } from '../words/policy-words.ts'
import { formatCount } from '../words/words.ts'

type Opened = { readonly label: string; readonly items: readonly MenuItem[]; readonly opener: HTMLElement }

/** Pins a message, chooses another policy or a larger window, or shows why. Everything applies to the next message. */
export function WindowActions({ boundary }: { readonly boundary: Boundary }): React.ReactNode {
  const store = useActions()
  const workspaceApi = useWorkspaceApi()
  const session = useStore(state => state.session)
  const isBusy = useStore(state => state.view.running.length > 0)
  const [opened, setOpened] = useState<Opened | null>(null)
  if (session === null) return null
  const show = (opener: HTMLElement, label: string, items: readonly MenuItem[]): void =>
    setOpened(now => (now?.opener === opener ? null : { label, items, opener }))
  return (
    <span className="window-actions">
      <button
        type="button"
        className="link"
        aria-haspopup="menu"
        disabled={isBusy}
        onClick={({ currentTarget }) => show(currentTarget, 'Pin a message', pinItems(store, boundary))}
      >
        Pin a message
      </button>
      <button
        type="button"
        className="link"
        aria-haspopup="menu"
        onClick={({ currentTarget }) => {
          moreItems(store, workspaceApi, boundary)
            .then(items => show(currentTarget, 'Send more', items))
            .catch(reportError)
        }}
      >
        Send more
      </button>
      <a className="link" href={lookHash(session, { turn: boundary.turn, step: null })}>
        Why?
      </a>
      {opened !== null && <Menu {...opened} onClose={() => setOpened(null)} />}
    </span>
  )
}

/** A menu that is longer than this is no help. */
const MOST_PINS = 8
const MOST_MODELS = 12
const LONGEST = 60

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line
}

function pinItems({ get, mark, undo }: Store, { begins }: Boundary): readonly MenuItem[] {
  const found = pinnableAbove(get().view.entries, begins, MOST_PINS)
  if (found.length === 0) return [{ words: 'Nothing above can be pinned' }]
  return found.map(({ seq, text, isReply }) => ({
    words: shortened(text),
    title: `${isReply ? 'A reply' : 'Your message'}: pin it to send it every time`,
    icon: 'pushpin',
    run: () => {
      mark([seq], 'pin')
        .then(() =>
          undo.offer({
            text: `Pinned “${shortened(text)}”. It is sent from the next message on.`,
            undo: () => mark([seq], null).catch(reportError),
          }),
        )
        .catch(reportError)
    },
  }))
}

/** Policies, models with a larger window, and a larger window for a model on this machine. */
async function moreItems(store: Store, workspaceApi: WorkspaceApi, { model }: Boundary): Promise<readonly MenuItem[]> {
  const { about } = store.get()
  const [policies, models] = await Promise.all([workspaceApi.policies(), workspaceApi.models()])
  const listed = models.ok ? models.value.items : []
  const larger = (about?.council ?? null) === null ? largerThan(listed, model) : []
  return [
    {
      words: 'Change the policy',
      icon: 'sliders',
      items: (policies.ok ? policies.value.items : []).map(({ name, window }) => ({
        words: name,
        title: windowWords(window),
        checked: name === about?.policy,
        run: () => arranged(store, { policy: name }, { policy: about?.policy ?? name }, `The policy is now ${name}.`),
      })),
    },
    ...(larger.length === 0
      ? []
      : [
          {
            words: 'Use a model with a larger window',
            icon: 'sliders' as const,
            items: larger.map(({ name, window }) => ({
              words: `${name} · ${shortCount(window)}`,
              run: () => arranged(store, { model: name }, { model: about?.model ?? null }, `The model is now ${name}.`),
            })),
          },
        ]),
    ...raisedWindows(listed, model).map(window => ({
      words: `Raise the window to ${formatCount(window)} tokens`,
      title: `Saved in turnwise.json. ${model} then needs more memory, and Ollama loads it again.`,
      icon: 'chip' as const,
      run: () => {
        raiseWindow(store, workspaceApi, { model, window, before: windowOf(listed, model) }).catch(reportError)
      },
    })),
  ]
}

/** Models that can be asked now and take more than this one, the smallest first. */
function largerThan(models: readonly ModelRow[], model: string): readonly ModelRow[] {
  const window = windowOf(models, model)
  return models
    .filter(each => each.ready && each.window > window)
    .toSorted((one, other) => one.window - other.window)
    .slice(0, MOST_MODELS)
}

const windowOf = (models: readonly ModelRow[], model: string): number => models.find(({ name }) => name === model)?.window ?? 0

/** Only a model of Ollama takes what it is told to; twice and four times as much are enough to choose from. */
const raisedWindows = (models: readonly ModelRow[], model: string): readonly number[] => {
  const window = windowOf(models, model)
  return model.startsWith('ollama/') && window > 0 ? [2 * window, 4 * window] : []
}

type Raise = { readonly model: string; readonly window: number; readonly before: number }

async function raiseWindow({ undo }: Store, workspaceApi: WorkspaceApi, { model, window, before }: Raise): Promise<void> {
  const raised = await workspaceApi.setWindow(model, window)
  if (!raised.ok) return undo.offer({ text: `${raised.problem.title}. ${raised.problem.detail}` })
  undo.offer({
    text: `The window of ${model} is now ${formatCount(window)} tokens. It applies to the next message.`,
    undo: () => workspaceApi.setWindow(model, before).catch(reportError),
  })
}

type Change = Parameters<Store['arrange']>[0]

function arranged({ arrange, undo }: Store, change: Change, back: Change, words: string): void {
  arrange(change)
    .then(() => undo.offer({ text: `${words} It applies to the next message.`, undo: () => arrange(back).catch(reportError) }))
    .catch(reportError)
}
