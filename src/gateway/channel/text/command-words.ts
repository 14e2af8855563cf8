/** The longer answers to commands: the help, and the list of agents or councils. */
import type { Engine } from '../../../engine.ts'
import { escapeToOneLine } from '../../cli/output/escape-for-terminal.ts'
import type { Binding } from '../channel-store.ts'
import { COMMANDS } from '../commands.ts'
import { joined, plain, type RichText, styled } from './rich-text.ts'

export const helpWords = (): RichText =>
  joined(
    plain('Write, and you are answered. Photos and text files can come along.\n\n'),
    plain(COMMANDS.map(({ command, description }) => `/${command}: ${description}`).join('\n')),
  )

/** All agents or councils, with a tick at the one that answers now. */
export function choiceWords(
  engine: Engine,
  kind: 'agent' | 'council',
  chosen: Pick<Binding, 'agent' | 'council'> | undefined,
): RichText {
  const items = kind === 'agent' ? engine.agents() : engine.councils()
  if (items.length === 0) return plain('There are no councils; councils.json in the workspace makes some.')
  const now = kind === 'agent' ? (chosen === undefined ? items[0]?.key : chosen.agent) : chosen?.council
  return joined(
    styled(kind === 'agent' ? 'Agents' : 'Councils', { type: 'bold' }),
    plain('\n'),
    ...items.flatMap(({ key, name }) => [
      plain(key === now ? '✓ ' : '• '),
      styled(key, { type: 'code' }),
      plain(` ${escapeToOneLine(name)}\n`),
    ]),
    plain(`\nChoose with /${kind} and one of these words.`),
  )
}
