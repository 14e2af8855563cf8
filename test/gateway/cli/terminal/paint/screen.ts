import xterm from '@xterm/headless'

/**
 * What a terminal of that size shows after it was given these bytes: everything that was scrolled away, and the screen. Then
 * somebody may have made it narrower, and it was given more.
 */
export async function screenOf(
  bytes: string,
  columns: number,
  rows = 40,
  then?: { readonly columns: number; readonly bytes: string },
): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true, convertEol: true })
  await new Promise<void>(done => terminal.write(bytes, done))
  if (then !== undefined) {
    terminal.resize(then.columns, rows)
    await new Promise<void>(done => terminal.write(then.bytes, done))
  }
  const buffer = terminal.buffer.active
  const lines = Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? '')
  terminal.dispose()
  return lines.slice(0, lines.findLastIndex(line => line !== '') + 1)
}
