import type { Run, ViewPart } from '../view.ts'
import { duration } from '../words.ts'
import { Approval } from './approval.tsx'
import { Icon } from './icon.tsx'

type ToolCardProps = { readonly part: Extract<ViewPart, { readonly type: 'call' }>; readonly writing: boolean }

/** A tool call: its name and state on one line, arguments and result behind it. */
export function ToolCard({ part, writing }: ToolCardProps): React.ReactNode {
  const { tool, args, run } = part
  const failed = run.state === 'settled' && !run.ok
  if (run.state === 'waits') return <Approval tool={tool} approval={run.approval} argv={run.argv} />
  return (
    <details className="tool" data-failed={failed}>
      <summary>
        <Icon name="tool" />
        <span className="tool-name">{tool === '' ? 'tool' : tool}</span>
        <span className="tool-state">{stateWords(run, writing)}</span>
      </summary>
      <h3>Arguments</h3>
      <pre>{args === '' ? 'none' : args}</pre>
      {run.state === 'settled' && (
        <>
          <h3>Result</h3>
          <pre>{run.content === '' ? run.outcome : run.content}</pre>
        </>
      )}
    </details>
  )
}

function stateWords(run: Run, writing: boolean): string {
  switch (run.state) {
    case 'asked':
      return writing ? 'writing the call …' : 'asked for'
    case 'waits':
      return 'waits for you'
    case 'running':
      return 'running …'
    case 'settled':
      return `${run.ok ? 'done' : 'failed'} · ${duration(run.ms)}`
  }
}
