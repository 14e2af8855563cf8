// Which programs a skill needs and does not find.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { attempt } from './attempt.ts'

/** The programs that cannot be found on a PATH. */
export function missingPrograms(names: readonly string[], path: string): readonly string[] {
  const folders = path.split(delimiter).filter(isAbsolute)
  return names.filter(name => !folders.some(folder => isProgram(join(folder, name))))
}

function isProgram(file: string): boolean {
  const found = attempt(() => {
    accessSync(file, constants.X_OK)
    return statSync(file)
  })
  return found.ok && found.value.isFile()
}
