// Reads the source files of a tree: their folders, lines, imports and exported names.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/** One source file, and the files of the same tree that it imports. */
export type SourceFile = {
  readonly path: string
  readonly folder: string
  readonly lines: number
  readonly imports: readonly string[]
  /** The names that it declares and exports, without names that it only re-exports. */
  readonly exports: readonly string[]
}

const IMPORT = /\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)|\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g
const EXPORT =
  /^export (?:declare )?(?:default )?(?:async )?(?:abstract )?(?:const|let|function\*?|interface|type|class) ([A-Za-z_$][\w$]*)/gm

/** The text without its comments, so that an import in a comment does not count. */
export const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

/** Every file of these patterns below the root, with forward slashes and in order. */
export function readTree(root: string, patterns: readonly string[]): SourceFile[] {
  const paths = patterns.flatMap(pattern => globSync(pattern, { cwd: root })).sort()
  return paths.map(path => {
    const text = readFileSync(join(root, path), 'utf8')
    const code = withoutComments(text)
    const imports = [...code.matchAll(IMPORT)].map(([, a, b, c]) => normalize(join(dirname(path), a ?? b ?? c ?? '')))
    return {
      path,
      folder: dirname(path),
      lines: text.split('\n').length - 1,
      imports: [...new Set(imports)].map(each => relative('.', each)),
      exports: [...new Set([...code.matchAll(EXPORT)].map(([, name]) => name ?? ''))],
    }
  })
}

/** How many files are directly in each folder, the fullest folder first. */
export function filesPerFolder(files: readonly SourceFile[]): [folder: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { folder } of files) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
}

/** Files shorter than 25 lines that exactly one other file imports. */
export function shortSingleImporterFiles(files: readonly SourceFile[]): { file: string; lines: number; importer: string }[] {
  const importers = new Map<string, string[]>()
  for (const { path, imports } of files) {
    for (const each of imports) importers.set(each, [...(importers.get(each) ?? []), path])
  }
  return files.flatMap(({ path, lines }) => {
    const [importer, ...others] = importers.get(path) ?? []
    return lines < 25 && importer !== undefined && others.length === 0 ? [{ file: path, lines, importer }] : []
  })
}

/** How many files exactly one other file imports. */
export function singleImporterFiles(files: readonly SourceFile[]): number {
  const counts = new Map<string, number>()
  for (const { imports } of files) for (const each of imports) counts.set(each, (counts.get(each) ?? 0) + 1)
  return files.filter(({ path }) => counts.get(path) === 1).length
}

/** Exported names that more than one file declares, with those files, the most frequent name first. */
export function namesDeclaredTwice(files: readonly SourceFile[]): { name: string; files: string[] }[] {
  const declared = new Map<string, string[]>()
  for (const { path, exports } of files) {
    for (const name of exports) declared.set(name, [...(declared.get(name) ?? []), path])
  }
  return [...declared]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => ({ name, files: paths }))
    .sort((a, b) => b.files.length - a.files.length || a.name.localeCompare(b.name))
}
