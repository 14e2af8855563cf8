/** Says which settings can be changed while the gateway runs, and why the others cannot. */

const WHY: Readonly<Record<string, string>> = {
  gateway: 'it decides who can reach this gateway; change it in turnwise.json and restart',
  store: 'it is read at the start; change it in turnwise.json and restart',
  providers: 'connect providers under Models; further options are in turnwise.json',
  channels: 'it is read at the start; change it in turnwise.json and restart',
  'skills.directory': 'it is read at the start; change it in turnwise.json and restart',
  'skills.extraDirs': 'it is read at the start; change it in turnwise.json and restart',
  'skills.allowScripts': 'it controls which programs can run, so it can only be changed in turnwise.json',
  'tools.accept': 'it controls which programs can run, so it can only be changed in turnwise.json',
  'tools.env': 'it controls which variables programs see, so it can only be changed in turnwise.json',
  'memory.encoder': 'its packages are loaded at the start; change it in turnwise.json and restart',
}

/** Why a setting cannot be changed here, or undefined. `variable` is the one that gives its value now. */
export function notEditable(path: readonly string[], variable: string | undefined): string | undefined {
  if (variable !== undefined) return `set by ${variable} in the environment; change it there and restart`
  const key = [path.slice(0, 1), path.slice(0, 2)].map(each => each.join('.')).find(each => Object.hasOwn(WHY, each))
  return key === undefined ? undefined : WHY[key]
}
