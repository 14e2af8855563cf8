// A row of small buttons with one tab stop.
import { useEffect, useRef } from 'react'
import { Icon, type IconName } from '../../parts/icon.tsx'

type ActionBarProps = { readonly label: string; readonly children: React.ReactNode }

/** Small quiet buttons that belong together: one stop of the Tab key, and the arrow keys go between them. */
export function ActionBar({ label, children }: ActionBarProps): React.ReactNode {
  const bar = useRef<HTMLDivElement>(null)
  // The first that can be pressed is the way in, until another one was.
  useEffect(() => {
    const buttons = buttonsIn(bar.current)
    const current = buttons.find(button => button === document.activeElement) ?? buttons.find(isWayIn) ?? buttons[0]
    for (const button of buttons) button.tabIndex = button === current ? 0 : -1
  })
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const by = STEPS[event.key]
    const buttons = buttonsIn(bar.current)
    const at = buttons.indexOf(event.target as HTMLButtonElement)
    if (by === undefined || at === -1) return
    event.preventDefault()
    const next = buttons[(at + by + buttons.length) % buttons.length]
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1
    next?.focus()
  }
  return (
    <div className="actions" role="toolbar" aria-label={label} ref={bar} onKeyDown={onKeyDown}>
      {children}
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

const buttonsIn = (bar: HTMLElement | null): readonly HTMLButtonElement[] => [
  ...(bar?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? []),
]

const isWayIn = (button: HTMLElement): boolean => button.getAttribute('tabindex') === '0'

type ActionProps = {
  readonly icon: IconName
  readonly label: string
  readonly isDisabled?: boolean
  /** Of one that is switched on and off. */
  readonly isPressed?: boolean
  /** Of one that opens a menu. */
  readonly hasMenu?: boolean
  readonly onPress: (button: HTMLButtonElement) => void
}

export function ActionButton({
  icon,
  label,
  isDisabled = false,
  isPressed,
  hasMenu = false,
  onPress,
}: ActionProps): React.ReactNode {
  return (
    <button
      type="button"
      className="small-button"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      aria-haspopup={hasMenu ? 'menu' : undefined}
      disabled={isDisabled}
      onClick={({ currentTarget }) => onPress(currentTarget)}
    >
      <Icon name={icon} />
    </button>
  )
}
