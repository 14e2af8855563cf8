// Runs before the first paint, so that a chosen theme does not flash. A file of its own because the page allows no inline script.
try {
  const theme = localStorage.getItem('turnwise.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the system's choice stands.
}
