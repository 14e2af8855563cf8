// What a person does about summaries, private chats, and where a chat can recall from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderIn } from '../../../web/src/store/commands.ts'
import { recallScope } from '../../../web/src/store/recall-scope.ts'
import { FIRST_STATE, type State } from '../../../web/src/store/state.ts'
import { recallScopeWords } from '../../../web/src/words/memory-words.ts'
import { chat, DOWN, session, settled, type World, world } from '../world.ts'

const VERBS = ['fold', 'editFold', 'redoFold', 'removeFold', 'change']
const verbs = ({ calls }: World): readonly unknown[] => calls.filter(([name]) => VERBS.includes(name))

function reading(): World {
  const made = world()
  made.store.visit(chat('ses_1'))
  made.answers.set('fold', () => ({ ok: true, value: { turn: 'trn_1' } }))
  made.answers.set('editFold', () => ({ ok: true, value: { seq: 9 } }))
  return made
}

test('/compact and its button ask for a summary; trouble is shown', async () => {
  const made = reading()
  made.store.write('/compact')
  await made.store.send()
  await made.store.summarize({ from: 1, to: 9 }, 'ses_2')
  assert.deepEqual(verbs(made), [
    ['fold', 'ses_1', {}],
    ['fold', 'ses_2', { from: 1, to: 9 }],
  ])
  assert.equal(made.store.get().draft, '')
  assert.equal(orderIn('/compact that please'), null, 'a word after it makes it a message')
  made.answers.set('fold', () => ({ ok: false, problem: DOWN }))
  await made.store.summarize()
  assert.equal(made.store.get().problem, DOWN)
})

test('a removed summary comes back as it was, and an edit that fails says so', async () => {
  const made = reading()
  let back = 0
  assert.equal(await made.store.removeFold({ seq: 7, text: 'They talked.' }, undefined, () => back++), true)
  made.store.undo.undo()
  await settled()
  assert.equal(back, 1)
  await made.store.redoFold(7, { by: 'extract' })
  made.answers.set('editFold', () => ({ ok: false, problem: DOWN }))
  assert.equal(await made.store.editFold(7, 'Other words'), false)
  assert.equal(made.store.get().problem, DOWN)
  assert.deepEqual(verbs(made), [
    ['removeFold', 'ses_1', 7],
    ['editFold', 'ses_1', 7, 'They talked.'],
    ['redoFold', 'ses_1', 7, { by: 'extract' }],
    ['editFold', 'ses_1', 7, 'Other words'],
  ])
})

test('a private chat is one with all its versions, and can be undone', async () => {
  const made = world()
  const [first, fork] = [session('ses_1'), session('ses_2', { family: 'ses_1' as never })]
  made.answers.set('family', () => ({ ok: true, value: { items: [first, fork], next: null } }))
  await made.store.setPrivate(first, true)
  assert.deepEqual(verbs(made), [
    ['change', 'ses_1', { private: true }],
    ['change', 'ses_2', { private: true }],
  ])
  made.store.undo.undo()
  await settled()
  assert.deepEqual(verbs(made).at(-1), ['change', 'ses_2', { private: false }])
})

test('where a chat can recall from is the widest of its policy, the switch and its project', () => {
  const recall = {
    from: 'session',
    projects: ['garden'],
    policies: { steady: 'session', recent: null },
    usual: 'steady',
  } as const
  const words = (state: Partial<State>): string | null => {
    const scope = recallScope({ ...FIRST_STATE, recall, ...state })
    return scope === null ? null : recallScopeWords(scope)
  }
  const inside = (more: Parameters<typeof session>[1]): Partial<State> => ({ session: 'ses_1', about: session('ses_1', more) })
  const everywhere = { ...recall, from: 'everywhere' } as const
  assert.equal(words({}), null)
  assert.equal(words({ project: 'garden' }), 'Can recall from other chats in garden', 'a new chat of that project')
  assert.equal(words(inside({ project: 'garden' })), 'Can recall from other chats in garden')
  assert.equal(words(inside({ project: 'boat' })), null)
  assert.equal(words({ recall: everywhere, ...inside({}) }), 'Can recall from all chats')
  assert.equal(words({ recall: everywhere, ...inside({ policy: 'recent' }) }), null, 'a policy that recalls nothing')
  assert.equal(words({ recall: { ...recall, from: 'project' }, ...inside({}) }), null, 'a chat without a project')
  assert.equal(
    words({ recall: { ...recall, policies: { steady: 'everywhere' } }, ...inside({}) }),
    'Can recall from all chats',
    'by its policy',
  )
  assert.equal(words({ recall: everywhere, session: 'ses_1', about: null }), null, 'until the chat is known')
})

test('the switches are read with the names, and stay as they were where the gateway does not say', async () => {
  const made = world()
  made.answers.set('projects', () => ({
    ok: true,
    value: {
      items: [
        { name: 'garden', recall: true },
        { name: 'boat', recall: false },
      ],
    },
  }))
  made.answers.set('policies', () => ({
    ok: true,
    value: { items: [{ name: 'steady', recall: { tokens: 'auto', from: 'session' } }, { name: 'recent' }], default: 'steady' },
  }))
  made.answers.set('recallSwitches', () => ({ ok: true, value: { from: 'project' } }))
  await made.store.learnNames()
  const { recall } = made.store.get()
  assert.deepEqual(recall, {
    ...{ from: 'project', projects: ['garden'], policies: { steady: 'session', recent: null }, usual: 'steady' },
  })
  made.answers.set('recallSwitches', () => ({ ok: false, problem: DOWN }))
  made.answers.set('policies', () => ({ ok: false, problem: DOWN }))
  await made.store.learnNames()
  assert.deepEqual(made.store.get().recall, recall)
})
