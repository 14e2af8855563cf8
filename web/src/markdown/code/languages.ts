// Finds the language that a code block names.

/** The languages that are colored: how each is called on the page, and the other names people write for it. */
const KNOWN: readonly (readonly [name: string, title: string, ...others: readonly string[]])[] = [
  ['arduino', 'Arduino', 'ino'],
  ['bash', 'Bash', 'sh', 'zsh'],
  ['c', 'C', 'h'],
  ['cpp', 'C++', 'c++', 'cc', 'hpp', 'cxx'],
  ['csharp', 'C#', 'cs', 'c#'],
  ['css', 'CSS'],
  ['diff', 'Diff', 'patch'],
  ['go', 'Go', 'golang'],
  ['graphql', 'GraphQL', 'gql'],
  ['ini', 'INI', 'toml'],
  ['java', 'Java'],
  ['javascript', 'JavaScript', 'js', 'jsx', 'mjs', 'cjs'],
  ['json', 'JSON', 'jsonc', 'json5'],
  ['kotlin', 'Kotlin', 'kt'],
  ['less', 'Less'],
  ['lua', 'Lua'],
  ['makefile', 'Makefile', 'make', 'mk'],
  ['markdown', 'Markdown', 'md'],
  ['objectivec', 'Objective-C', 'objc', 'objective-c'],
  ['perl', 'Perl', 'pl'],
  ['php', 'PHP'],
  ['python', 'Python', 'py', 'python3'],
  ['python-repl', 'Python', 'pycon'],
  ['r', 'R'],
  ['ruby', 'Ruby', 'rb'],
  ['rust', 'Rust', 'rs'],
  ['scss', 'SCSS', 'sass'],
  ['shell', 'Shell', 'console', 'shellsession'],
  ['sql', 'SQL'],
  ['swift', 'Swift'],
  ['typescript', 'TypeScript', 'ts', 'tsx', 'mts', 'cts'],
  ['vbnet', 'Visual Basic', 'vb'],
  ['wasm', 'WebAssembly', 'wat'],
  ['xml', 'XML', 'html', 'svg', 'xhtml', 'vue'],
  ['yaml', 'YAML', 'yml'],
]

const TITLES = new Map(KNOWN.map(([name, title]) => [name, title]))
const NAMES = new Map(KNOWN.flatMap(([name, , ...others]) => [name, ...others].map(other => [other, name] as const)))

/** `name` is null where the code is shown without colors. */
export type Language = { readonly name: string | null; readonly title: string }

const LONGEST_TITLE = 24

/** What follows a fence is free text; of one that is not known only a plain word is shown. */
export function languageOf(written: string): Language {
  const lower = written.toLowerCase()
  const name = NAMES.get(lower) ?? null
  if (name !== null) return { name, title: lower === 'html' ? 'HTML' : lower === 'toml' ? 'TOML' : (TITLES.get(name) ?? name) }
  const plain = /^[\p{L}\p{N}][\p{L}\p{N}+#._-]*$/u.test(written) && written.length <= LONGEST_TITLE
  return { name: null, title: plain ? written : 'Code' }
}
