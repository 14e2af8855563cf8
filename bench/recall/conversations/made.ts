// The conversations of our own making that recall is measured on, each from its story and its seed.
import { randomOf } from '../../conversations.ts'
import type { RecallConversation } from '../conversation.ts'
import { chatterOf, workOf } from './chatter.ts'
import { exchangesOf, longAnswerOf } from './long-answers.ts'
import { readStory, readTalk } from './script.ts'
import { weave } from './weave.ts'

/** A chat between people, each text with its author; `users` are those whose messages a model gets as the user's. */
function chat(
  id: string,
  talks: readonly string[],
  messages: number,
  seed: number,
  users: readonly string[],
): RecallConversation {
  const story = readStory(id)
  const chatter = chatterOf(talks.map(readTalk), [...story.people.keys()])
  return weave({ id, story, chatter, messages, chance: randomOf(seed), users, isNamed: true })
}

/** A person and an assistant whose answers are long. */
function assistant(): RecallConversation {
  const talk = readTalk('long-answers')
  return weave({
    ...{ id: 'assistant', story: readStory('assistant'), messages: 600, chance: randomOf(103), users: ['U'], isNamed: false },
    ...{ chatter: exchangesOf(talk, { user: 'U', assistant: 'S' }), longAnswer: longAnswerOf(talk) },
  })
}

/** A developer and an assistant with tools. */
function work(): RecallConversation {
  const chatter = workOf(readTalk('work'), { user: 'U', assistant: 'S' })
  return weave({
    ...{ id: 'work', story: readStory('work'), chatter, messages: 900, chance: randomOf(104), users: ['U'], isNamed: false },
  })
}

/** All of them; the same on every machine and every day. */
export function madeConversations(): readonly RecallConversation[] {
  return [
    chat('friends', ['english'], 1000, 101, ['A']),
    chat('group', ['english'], 900, 102, ['M', 'T', 'L', 'J']),
    assistant(),
    work(),
    chat('german', ['german'], 660, 105, ['G']),
    chat('spanish', ['spanish'], 660, 106, ['I']),
    chat('japanese', ['japanese'], 660, 107, ['H']),
    chat('mixed', ['english', 'german', 'spanish'], 700, 108, ['C']),
  ]
}
