// A conversation with questions about it, as the recall benchmark measures it, and how one is read from a file.
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type Message = {
  readonly id: string
  readonly role: 'user' | 'assistant'
  /** Chats with named authors have `Name: ` before each text. */
  readonly text: string
  /** ISO 8601, UTC. */
  readonly time: string
}

export type Question = {
  readonly id: string
  readonly text: string
  /** The ids of the messages that answer it together. */
  readonly evidence: readonly string[]
  readonly category: string
  /** The sentences that matter in long evidence messages, by the message's id. Files from elsewhere have none. */
  readonly passages?: Readonly<Record<string, string>>
}

export type RecallConversation = {
  readonly id: string
  readonly messages: readonly Message[]
  readonly questions: readonly Question[]
}

/** The conversations of files and folders, by path. */
export function readConversations(paths: readonly string[]): readonly RecallConversation[] {
  const files = paths.flatMap(path => (statSync(path).isDirectory() ? globSync(join(path, '*.json')).sort() : [path]))
  return files.flatMap(file => {
    const found = JSON.parse(readFileSync(file, 'utf8')) as RecallConversation | readonly RecallConversation[]
    const list = Array.isArray(found) ? (found as readonly RecallConversation[]) : [found as RecallConversation]
    for (const { messages, questions } of list)
      if (!Array.isArray(messages) || !Array.isArray(questions)) throw new Error(`${file} has no messages and questions`)
    return list
  })
}
