// Places a panel with a list beside its button.
const GAP_PX = 6
const EDGE_PX = 8
const LEAST_PX = 260
/** With less room than this, the side with more of it is better. */
const ENOUGH_PX = 380
const MOST_PX = 480

/** Below the button, or above where there is more room; on a narrow screen the style sheet makes it a sheet. */
export function placePanel(panel: HTMLElement, button: HTMLElement, isNarrow: boolean): void {
  const { style } = panel
  if (isNarrow) {
    for (const name of ['top', 'bottom', 'left', 'max-height']) style.removeProperty(name)
    return
  }
  const by = button.getBoundingClientRect()
  const below = innerHeight - by.bottom - GAP_PX - EDGE_PX
  const above = by.top - GAP_PX - EDGE_PX
  const isBelow = below >= ENOUGH_PX || below >= above
  style.maxHeight = `${Math.min(MOST_PX, Math.max(LEAST_PX, isBelow ? below : above))}px`
  style.top = isBelow ? `${by.bottom + GAP_PX}px` : 'auto'
  style.bottom = isBelow ? 'auto' : `${innerHeight - by.top + GAP_PX}px`
  style.left = `${Math.max(EDGE_PX, Math.min(by.left, innerWidth - panel.offsetWidth - EDGE_PX))}px`
}
