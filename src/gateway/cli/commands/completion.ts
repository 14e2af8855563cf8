// The completion command: scripts for shells.
import { type Command, InvalidArgumentError } from 'commander'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { print, type Terminal } from '../output/terminal.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

type Word = { readonly text: string; readonly about: string }

/** A command by the words that lead to it, with the words that may follow it. */
type Place = { readonly path: string; readonly commands: readonly Word[]; readonly options: readonly Word[] }

/**
 * `turnwise completion bash` and the like: prints a shell script that completes commands and options without running Turnwise.
 */
export function addCompletionCommand(
  program: Command,
  terminal: Terminal,
  run: (command: () => Promise<number>) => Promise<void>,
): void {
  program
    .command('completion')
    .description('print a script that completes commands in a shell')
    .argument('<shell>', 'bash, zsh or fish', shellOf)
    .action((shell: Shell) =>
      run(async () => {
        print(terminal, completionScript(program, shell).trimEnd())
        return 0
      }),
    )
}

function shellOf(text: string): Shell {
  const shell = SHELLS.find(each => each === text)
  if (shell === undefined) throw new InvalidArgumentError('It must be bash, zsh or fish.')
  return shell
}

/** Made from the declared commands, so that it includes all of them. */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '')
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => path)
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places, paths)
}

function placesOf(command: Command, path: string): readonly Place[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = help
    .visibleOptions(command)
    .flatMap(({ long, short, description }) =>
      [long, short].flatMap(flag =>
        flag === undefined || flag === null ? [] : [{ text: flag, about: escapeToOneLine(description) }],
      ),
    )
  const words = commands.map(each => ({ text: each.name(), about: escapeToOneLine(each.description()) }))
  const below = commands.filter(each => each.name() !== 'help').flatMap(each => placesOf(each, `${path} ${each.name()}`))
  return [{ path, commands: words, options }, ...below]
}

const wordsAt = ({ commands, options }: Place): string => [...commands, ...options].map(({ text }) => text).join(' ')

function bashScript(places: readonly Place[], paths: readonly string[]): string {
  return `# Completes turnwise in bash: source <(turnwise completion bash)
_turnwise() {
  local word="\${COMP_WORDS[COMP_CWORD]}" place="" each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $each" in
      ${paths.map(path => `"${path}"`).join('|')}) place="$place $each" ;;
    esac
  done
  case "$place" in
${places.map(place => `    "${place.path}") COMPREPLY=($(compgen -W "${wordsAt(place)}" -- "$word")) ;;`).join('\n')}
  esac
}
complete -o default -F _turnwise turnwise
`
}

function zshScript(places: readonly Place[], paths: readonly string[]): string {
  return `#compdef turnwise
# Completes turnwise in zsh: source <(turnwise completion zsh)
_turnwise() {
  local place="" each
  for each in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $each" in
      (${paths.map(path => `"${path}"`).join('|')}) place="$place $each" ;;
    esac
  done
  case "$place" in
${places.map(place => `    ("${place.path}") compadd -- ${wordsAt(place)} || _files ;;`).join('\n')}
  esac
}
compdef _turnwise turnwise
`
}

function fishScript(places: readonly Place[], paths: readonly string[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const flag = (text: string): string => (text.startsWith('--') ? `-l ${text.slice(2)}` : `-s ${text.slice(1)}`)
  const lines = places.flatMap(({ path, commands, options }) => {
    const at = `complete -c turnwise -n '__turnwise_at "${path}"'`
    return [
      ...commands.map(({ text, about }) => `${at} -f -a ${text} -d ${quoted(about)}`),
      ...options.map(({ text, about }) => `${at} ${flag(text)} -d ${quoted(about)}`),
    ]
  })
  return `# Completes turnwise in fish: turnwise completion fish | source
function __turnwise_at
  set -l place
  for each in (commandline -opc)[2..-1]
    switch "$place $each"
      case ${paths.map(quoted).join(' ')}
        set place "$place $each"
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}
