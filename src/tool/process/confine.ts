// The command prefix that limits a process and makes it die with us.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const SETPRIV = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--']
const PRLIMIT = ['/usr/bin/prlimit', '--core=0', `--fsize=${1024 ** 3}`, '--']

/** The words before a command that make it die with us and limit what it writes to disk, as far as they work here. */
export async function confinement(): Promise<readonly string[]> {
  for (const wrapper of [[...SETPRIV, ...PRLIMIT], SETPRIV]) if (await works(wrapper)) return wrapper
  return []
}

const run = promisify(execFile)

/** Tries the words for real: BusyBox has a setpriv too, but without the option for parents. */
async function works([file = '', ...args]: readonly string[]): Promise<boolean> {
  return run(file, [...args, SETPRIV[0] ?? '', '--version'], { env: {}, timeout: 2000 }).then(
    () => true,
    () => false,
  )
}

/** The error code if one of those words could not start the program. The words themselves stay hidden. */
export function unstartedBy(wrapper: readonly string[], code: number, stderr: string): string | undefined {
  if (wrapper.length === 0 || (code !== 126 && code !== 127)) return undefined
  const [, why] = /^(?:setpriv|prlimit): failed to execute .*: ([^\n]*)\n?$/s.exec(stderr) ?? []
  if (why === undefined) return undefined
  return KERNEL_WORDS[why] ?? why
}

const KERNEL_WORDS: Readonly<Record<string, string>> = {
  'No such file or directory': 'ENOENT',
  'Permission denied': 'EACCES',
  'Exec format error': 'ENOEXEC',
  'Argument list too long': 'E2BIG',
  'Cannot allocate memory': 'ENOMEM',
}
