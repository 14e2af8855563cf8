const CLIMBS = [
  '..',
  '.',
  '%2e%2e',
  '%252e%252e',
  '\u2024\u2024',
  '\uFF0E\uFF0E',
  '\u2025',
  '..\\',
  '..;',
  '.%00.',
  '~',
  '$HOME',
  '',
]
const SLASHES = ['/', '\\', '%2f', '\u2215', '\u2044', '//', '/./', '\0/']
const AIMS = ['.ssh/id_rsa', 'etc/passwd', 'notes/SKILL.md', 'SKILL.md', 'notes', 'NOTES', 'turnwise.db', '']
const TAILS = ['', '\0', '\0.md', ' ', '\n', '\u200B', '\u202E', '%00', '#', '?', '/', '.']
const WORDS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  'size',
  'get',
  'then',
  'null',
  'undefined',
  'NaN',
]
const WHOLE = [
  '/etc/passwd',
  'file:///etc/passwd',
  'C:\\Windows\\win.ini',
  '\\\\host\\share',
  '/dev/zero',
  '/proc/self/environ',
  'nоtes',
  'ｎotes',
  'notes\u0000',
  ' notes',
  '\ud800',
  'x'.repeat(10_000),
]

/** So many names, all different, that a look-up by path or by property might fall for; `notes` itself is not among them. */
export function strangeNames(many: number): readonly string[] {
  const climbing = CLIMBS.flatMap(climb =>
    SLASHES.flatMap(slash =>
      [1, 2, 5].flatMap(times => AIMS.flatMap(aim => TAILS.map(tail => (climb + slash).repeat(times) + aim + tail))),
    ),
  )
  const words = WORDS.flatMap(word => TAILS.map(tail => word + tail))
  const names = new Set([...WHOLE, ...words, ...climbing])
  names.delete('notes')
  return [...names].slice(0, many)
}
