// The prompts of connected servers, asked for when the list after a slash opens, and put into the message.
import { useCallback, useEffect, useState } from 'react'
import { NEW } from '../../store/message/drafts.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import type { FileIntake } from '../attach/use-intake.ts'
import { promptName, promptsOf, type ServerPrompt } from './offered.ts'

const NONE: readonly ServerPrompt[] = []

/** What was found last stays until the list is opened again. */
export function useServerPrompts(isOpen: boolean): readonly ServerPrompt[] {
  const { mcp } = useWorkspaceApi()
  const [prompts, setPrompts] = useState(NONE)
  useEffect(() => {
    if (!isOpen) return
    let isWanted = true
    promptsOf(mcp)
      .then(found => isWanted && setPrompts(found))
      .catch(reportError)
    return () => {
      isWanted = false
    }
  }, [isOpen, mcp])
  return prompts
}

type InsertPrompt = (prompt: ServerPrompt, values: Readonly<Record<string, string>>) => Promise<ApiProblem | null>

/** Puts a prompt's text in place of what was typed for it, and its files beside it. Nothing is sent. */
export function useInsertPrompt({ takeFrom }: Pick<FileIntake, 'takeFrom'>): InsertPrompt {
  const { mcp } = useWorkspaceApi()
  const { get, write, announce } = useActions()
  return useCallback(
    async (prompt, values) => {
      const { draft: typed, session } = get()
      const answer = await mcp.getPrompt(prompt.server, prompt.name, values)
      if (!answer.ok) return answer.problem
      // The person may have gone to another conversation meanwhile; that one is left alone.
      if (get().session !== session) return null
      const { text, parts } = answer.value
      const { draft } = get()
      write(draft === typed ? text : `${text}\n\n${draft}`)
      announce(`The prompt ${promptName(prompt)} is in the message`)
      if (parts.length > 0) await takeFrom(promptName(prompt), Promise.resolve({ ok: true, value: { parts } }), session ?? NEW)
      return null
    },
    [mcp, get, write, announce, takeFrom],
  )
}
