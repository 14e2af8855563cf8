// Runs before the first paint, so that what was chosen does not flash. A file of its own because the page allows no inline
// script. The page does the same afterwards, in settings.ts.
try {
  const chosen = (name, allowed) => allowed.find(value => value === localStorage.getItem(`turnwise.${name}`))
  const theme = chosen('theme', ['light', 'dark'])
  const size = chosen('size', ['small', 'large', 'larger'])
  const density = chosen('density', ['compact'])
  const marks = document.documentElement.dataset
  if (theme !== undefined) marks.theme = theme
  if (size !== undefined) marks.size = size
  if (density !== undefined) marks.density = density
  if (theme !== undefined)
    for (const meta of document.head.querySelectorAll('meta[name="theme-color"]'))
      meta.content = theme === 'dark' ? '#1a1917' : '#fbfaf8'
} catch {
  // Without storage the system's choice stands.
}
