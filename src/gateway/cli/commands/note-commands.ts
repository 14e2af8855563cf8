// Declares notes and its subcommands.
import { Argument, type Command, Option } from 'commander'
import { complain, MISUSED, type Terminal } from '../output/terminal.ts'
import type { NoteAction } from './notes.ts'

type Run = (command: () => Promise<number>) => Promise<void>

/** Describes each value. A command takes it as an argument, or as an option, which accepts text that begins with a dash. */
const VALUES = {
  name: 'what the note is called',
  text: 'what to write',
  words: 'what to look for; all of the words must be there',
  old: 'the text to change; it must be there exactly once',
  new: 'what to write instead',
} as const

type Value = keyof typeof VALUES

const COMMANDS = {
  create: { does: 'write a new note', values: ['name', 'text'] },
  read: { does: 'print a note, or some lines of it', values: ['name'], range: true },
  list: { does: 'list the notes, newest first', values: [], limit: 500 },
  search: { does: 'find lines in all notes', values: ['words'], limit: 20 },
  append: { does: 'add a line to a note', values: ['name', 'text'] },
  replace: { does: 'change a text in a note', values: ['name', 'old', 'new'] },
} as const satisfies Record<NoteAction['verb'], { does: string; values: readonly Value[]; limit?: number; range?: true }>

/** Adds `notes` and its subcommands. */
export function addNoteCommands(program: Command, terminal: Terminal, run: Run, wholeNumber: (text: string) => number): void {
  const notes = program.command('notes').description('keep notes in Markdown')
  for (const [verb, form] of Object.entries(COMMANDS)) {
    const command = notes.command(verb).description(form.does)
    const names: readonly Value[] = form.values
    for (const name of names) command.addArgument(new Argument(name === 'words' ? '[words...]' : `[${name}]`, VALUES[name]))
    for (const name of names) command.option(`--${name} <${name}>`, 'the same, also for text that begins with a dash')
    if ('limit' in form)
      command.addOption(new Option('--limit <n>', 'at most so many lines').argParser(wholeNumber).default(form.limit))
    if ('range' in form)
      command
        .option('--from <line>', 'begin with this line, counted from 1', wholeNumber)
        .option('--lines <n>', 'at most so many lines', wholeNumber)
    command.option('--json', 'for programs').action((...given: unknown[]) =>
      run(async () => {
        const options = given[names.length] as Readonly<Record<string, unknown>>
        const values = together(names, given.slice(0, names.length), options)
        if (typeof values === 'string') return complain(terminal, `${values}; see "turnwise notes ${verb} --help"`, MISUSED)
        const { limit, from, lines } = options
        const deed = { verb, limit, from, lines, ...values } as NoteAction
        return (await import('./notes.ts')).notesCommand(terminal, deed, { json: options.json === true })
      }),
    )
  }
}

/** Every value by its name, options first; or a complaint about a missing or extra value. */
function together(
  names: readonly Value[],
  given: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> | string {
  const places = given.flatMap(each =>
    Array.isArray(each) ? (each.length === 0 ? [] : [each.join(' ')]) : (each ?? []),
  ) as string[]
  const values = names.map(name => [name, (options[name] ?? places.shift()) as string | undefined] as const)
  const missing = values.find(([, value]) => value === undefined)
  if (missing !== undefined) return `${missing[0]} is missing`
  return places.length > 0 ? `"${places[0]}" is too much` : (Object.fromEntries(values) as Record<string, string>)
}

/** A tool can have only one fixed word after its program, so `notes-create` means `notes create`. */
export function spelledOut(argv: readonly string[]): readonly string[] {
  const [, verb] = /^notes-([a-z]+)$/.exec(argv[0] ?? '') ?? []
  return verb !== undefined && Object.hasOwn(COMMANDS, verb) ? ['notes', verb, ...argv.slice(1)] : argv
}
