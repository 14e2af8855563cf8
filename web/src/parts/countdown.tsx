// Seconds that count down to a moment.
import { useEffect, useState } from 'react'

/** Until a moment, in whole seconds; 0 from then on. `most` bounds it where clocks do not agree. */
export function useSecondsUntil(moment: number | null, most: number = Number.POSITIVE_INFINITY): number {
  const left = (): number => (moment === null ? 0 : Math.max(0, Math.ceil(Math.min(moment - Date.now(), most) / 1000)))
  const [seconds, setSeconds] = useState(left)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `left` follows from these
  useEffect(() => {
    setSeconds(left())
    if (left() === 0) return
    const timer = setInterval(() => {
      setSeconds(left())
      if (left() === 0) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [moment, most])
  return seconds
}

/** Seconds that count down. A screen reader speaks them on demand, not every second. */
export function Countdown({ seconds }: { readonly seconds: number }): React.ReactNode {
  return (
    <span className="countdown" role="timer" aria-live="off">
      {seconds >= 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`}
    </span>
  )
}
