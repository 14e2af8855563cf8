// Draws a tool call with its arguments, state and result.
import type { ResultImage } from '../../../src/model/event.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { ShownFiles } from '../parts/files/shown-files.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import type { FileChip, Run, ViewPart } from '../view/view.ts'
import { argsLine, argsText, argvWords, duration } from '../words/words.ts'
import { Approval } from './approval.tsx'
import { Details } from './receipt/details.tsx'

type ToolCardProps = {
  /** By which it is remembered whether it was opened. */
  readonly place: string
  readonly part: Extract<ViewPart, { readonly type: 'call' }>
  readonly writing: boolean
  /** Who asks for it. */
  readonly voice?: string | undefined
}

/** A tool call: name, arguments and state on one line, details behind it. A call that waits for approval asks here. */
export function ToolCard({ place, part, writing, voice }: ToolCardProps): React.ReactNode {
  const { tool, run } = part
  const args = argsText(part.args)
  if (run.state === 'waits')
    return <Approval tool={tool} voice={voice ?? null} approval={run.approval} argv={run.argv} facts={run.facts} />
  const { icon, words } = stateOf(run, writing)
  return (
    <Details
      place={place}
      className="tool"
      failed={run.state === 'settled' && !run.ok}
      summary={
        <>
          <Icon name="tool" />
          <span className="tool-name">{tool === '' ? 'tool' : tool}</span>
          <span className="tool-args">{argsLine(args)}</span>
          <span className="tool-state">
            <Icon name={icon} />
            {words}
          </span>
        </>
      }
    >
      <Box heading="Arguments" text={args === '' ? 'none' : args} />
      {run.state === 'settled' && run.argv !== undefined && <Box heading="Command" text={argvWords(run.argv)} />}
      {run.state === 'settled' && (
        <Box heading="Result" text={run.content === undefined || run.content === '' ? run.outcome : run.content} />
      )}
      {run.state === 'settled' && run.images !== undefined && <ShownFiles files={run.images.map(chipOf)} />}
    </Details>
  )
}

const chipOf = ({ name, mediaType, hash }: ResultImage): FileChip => ({ kind: 'image', name, mediaType, hash })

function Box({ heading, text }: { readonly heading: string; readonly text: string }): React.ReactNode {
  return (
    <section className="tool-box">
      <header>
        <h3>{heading}</h3>
        <CopyButton text={text} label={`Copy: ${heading.toLowerCase()}`} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keys */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  )
}

function stateOf(run: Run, writing: boolean): { readonly icon: IconName; readonly words: string } {
  switch (run.state) {
    case 'asked':
      return { icon: 'clock', words: writing ? 'writing the call …' : 'asked for' }
    case 'waits':
      return { icon: 'clock', words: 'waits for you' }
    case 'running':
      return { icon: 'clock', words: 'running …' }
    case 'settled':
      return { icon: run.ok ? 'check' : 'alert', words: `${run.ok ? 'done' : 'failed'} · ${duration(run.ms)}` }
  }
}
