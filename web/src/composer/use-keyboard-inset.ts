// Tells the page how much of it an on-screen keyboard covers.
import { useEffect } from 'react'

/** Safari lays its keyboard over the page instead of making the page smaller; so the page learns how much is covered. */
export function useKeyboardInset(): void {
  useEffect(() => {
    const seen = window.visualViewport
    if (seen === null) return
    const { style } = document.documentElement
    const measure = (): void => {
      const covered = seen.scale > 1.01 ? 0 : Math.max(0, innerHeight - seen.height - seen.offsetTop)
      style.setProperty('--keyboard', `${Math.round(covered)}px`)
    }
    measure()
    seen.addEventListener('resize', measure)
    seen.addEventListener('scroll', measure)
    return () => {
      seen.removeEventListener('resize', measure)
      seen.removeEventListener('scroll', measure)
      style.removeProperty('--keyboard')
    }
  }, [])
}
