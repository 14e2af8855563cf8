// Asks for skills by strange names, between two marks that a tracer of system calls can see.
import { existsSync } from 'node:fs'
import { readSkillTool } from '../../src/skill/read-skill.ts'
import { strangeNames } from './strange-names.ts'

const [begin = '', end = ''] = process.argv.slice(2)
const notes = { name: 'notes', description: '', body: 'Text.', folder: '/f', file: '/f/SKILL.md', hash: '' }
const tool = readSkillTool(() => [notes])
const names = strangeNames(10_000)

existsSync(begin)
for (const name of names) {
  const answer = await tool.prepare({ skill_name: name })
  if (!('ok' in answer) || answer.ok) process.exitCode = 1
}
existsSync(end)
