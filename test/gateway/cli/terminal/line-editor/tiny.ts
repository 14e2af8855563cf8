// A program for the tests: it reads lines as the editor does and says what it was told, between brackets.
import { openHistory } from '../../../../../src/gateway/cli/chat/history.ts'
import { createEditor } from '../../../../../src/gateway/cli/terminal/line-editor/editor.ts'
import { editOutside } from '../../../../../src/gateway/cli/terminal/line-editor/external.ts'

const { argv, env, stdin, stdout, stderr } = process
const history = openHistory(env.TURNWISE_HOME ?? '.')
const words = ['/context', '/cost', '/council', '/help']
const editor = createEditor(
  { argv, environment: env, stdin, stdout, stderr },
  {
    history: history.lines,
    onHistory: history.add,
    complete: (text, cursor) => ({ from: 0, choices: words.filter(word => word.startsWith(text.slice(0, cursor))) }),
    isBusy: () => env.BUSY !== undefined,
  },
)
editor.footer('tiny footer')
let initial: string | undefined
for (let isOver = false; !isOver; ) {
  const event = await editor.read({ prompt: 'say> ', ...(initial === undefined ? {} : { initial }) })
  initial = undefined
  const text = 'text' in event ? event.text : ''
  editor.above(`[${event.type} ${JSON.stringify(text)}]`)
  if (event.type === 'external') {
    const edited = await editOutside(editor, env, text)
    if (!edited.ok) editor.above(edited.fault.message)
    initial = edited.ok ? edited.value : text
  }
  if (event.type === 'interrupt' && text !== '') initial = text
  if (text === 'ask')
    editor.above(`[answer ${await editor.key('really? [y] yes  [n] no: ', ['y', 'n'], AbortSignal.timeout(60_000))}]`)
  if (text === 'pid') editor.above(`[pid ${process.pid}]`)
  if (text === 'crash') setImmediate(() => Promise.reject(new Error('crashed on purpose')))
  if (text === 'exit') process.exit(7)
  isOver = event.type === 'end' || text === 'quit'
}
editor.close()
stdout.write('bye\n')
