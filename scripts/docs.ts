// Writes real output into the docs: frames, problems, help, examples. Without `--write` it only says what is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { frames, help, problem, tooLong } from './docs-blocks.ts'
import { fullWindow } from './docs-window.ts'

const write = process.argv.includes('--write')
const full = await fullWindow()
const example = (name: string, language = 'ts'): string => fenced(language, readFileSync(`examples/${name}.${language}`, 'utf8'))

const pages: readonly { readonly file: string; readonly begin: string; readonly end: string; readonly text: string }[] = [
  { file: 'README.md', begin: '<!-- example 01-hello -->', end: '<!-- /example -->', text: example('01-hello') },
  {
    file: 'docs/models.md',
    begin: '<!-- example 03-fake-provider -->',
    end: '<!-- /example -->',
    text: example('03-fake-provider'),
  },
  {
    file: 'docs/policy.md',
    begin: '<!-- example policy-tests -->',
    end: '<!-- /example -->',
    text: fenced('json', readFileSync('examples/policy-tests.json', 'utf8')),
  },
  { file: 'docs/policy.md', begin: '<!-- window first -->', end: '<!-- /window first -->', text: fenced('json', full.first) },
  { file: 'docs/policy.md', begin: '<!-- window last -->', end: '<!-- /window last -->', text: fenced('json', full.last) },
  { file: 'docs/policy.md', begin: '<!-- window words -->', end: '<!-- /window words -->', text: fenced('text', full.words) },
  { file: 'docs/ai-sdk.md', begin: '<!-- example use-chat -->', end: '<!-- /example -->', text: example('use-chat', 'tsx') },
  { file: 'docs/wire.md', begin: '<!-- frames -->', end: '<!-- /frames -->', text: fenced('text', await frames()) },
  { file: 'docs/wire.md', begin: '<!-- problem -->', end: '<!-- /problem -->', text: fenced('json', problem()) },
  { file: 'docs/wire.md', begin: '<!-- too-long -->', end: '<!-- /too-long -->', text: fenced('text', await tooLong()) },
  { file: 'docs/cli.md', begin: '<!-- help -->', end: '<!-- /help -->', text: fenced('text', help()) },
]

const stale = pages.filter(({ file, begin, end, text }) => {
  const page = readFileSync(file, 'utf8')
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to === -1) throw new Error(`${file} has no place between ${begin} and ${end}`)
  const fresh = `${page.slice(0, from)}${begin}\n${text}${page.slice(to)}`
  if (fresh !== page && write) writeFileSync(file, fresh)
  return fresh !== page
})

for (const { file, begin } of stale) console.log(`${write ? 'written' : 'out of date'}: ${file} ${begin}`)
if (stale.length > 0 && !write) process.exitCode = 1

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`
}
