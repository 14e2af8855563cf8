// A menu that works with the keyboard.
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Icon, type IconName } from '../icon.tsx'

export type MenuItem = {
  readonly words: string
  readonly icon?: IconName
  readonly title?: string
  readonly danger?: true
  /** Whether this is the current choice; only in menus with one choice of several. */
  readonly checked?: boolean
  /** Whether it is on, for something that is switched on and off by itself. */
  readonly isOn?: boolean
  readonly run?: () => void
  /** What to choose from instead, under these words. */
  readonly items?: readonly MenuItem[]
}

type MenuProps = {
  readonly label: string
  readonly items: readonly MenuItem[]
  /** The button that opened the menu: the menu appears beside it, and the focus goes back to it. */
  readonly opener: HTMLElement
  readonly onClose: () => void
}

/** A small menu on top of everything. Arrows, Home, End and first letters go through it; Escape and Tab leave. */
export function Menu({ label, items, opener, onClose }: MenuProps): React.ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const [inner, setInner] = useState<MenuItem | null>(null)
  const shown = inner?.items ?? items

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is placed anew where it has another size
  useLayoutEffect(() => {
    const menu = box.current
    if (menu === null) return
    if (!menu.matches(':popover-open')) menu.showPopover()
    place(menu, opener.getBoundingClientRect())
    const buttons = buttonsIn(menu)
    ;(buttons.find(button => button.role === 'menuitemradio' && button.ariaChecked === 'true') ?? buttons[0])?.focus()
  }, [inner, opener])

  useEffect(() => {
    const onPointer = (event: PointerEvent): void => {
      const target = event.target as Node
      // What opened it closes it by itself.
      if (!box.current?.contains(target) && !opener.contains(target)) onClose()
    }
    addEventListener('pointerdown', onPointer, true)
    addEventListener('resize', onClose)
    return () => {
      removeEventListener('pointerdown', onPointer, true)
      removeEventListener('resize', onClose)
    }
  }, [opener, onClose])

  const leave = (): void => {
    onClose()
    opener.focus()
  }
  const choose = (item: MenuItem): void => {
    if (item.items !== undefined) setInner(item)
    else {
      leave()
      item.run?.()
    }
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const buttons = buttonsIn(event.currentTarget)
    const at = buttons.indexOf(document.activeElement as HTMLElement)
    const here = shown[at]
    const to = nextPlace(event.key, at, buttons)
    if (to !== null) buttons[to]?.focus()
    else if (event.key === 'ArrowRight' && here?.items !== undefined) setInner(here)
    else if (inner !== null && (event.key === 'ArrowLeft' || event.key === 'Escape')) setInner(null)
    else if (event.key === 'Escape' || event.key === 'Tab') leave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={box}
      popover="manual"
      className="menu"
      role="menu"
      tabIndex={-1}
      aria-label={inner?.words ?? label}
      onKeyDown={onKeyDown}
    >
      {shown.map(item => (
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only the role that may be checked has it
        <button
          key={item.words}
          type="button"
          role={item.isOn !== undefined ? 'menuitemcheckbox' : item.checked === undefined ? 'menuitem' : 'menuitemradio'}
          aria-checked={item.isOn ?? item.checked}
          aria-haspopup={item.items === undefined ? undefined : 'menu'}
          className="menu-item"
          data-danger={item.danger}
          tabIndex={-1}
          title={item.title}
          onClick={() => choose(item)}
        >
          {item.icon !== undefined && <Icon name={item.icon} />}
          <span className="menu-words">{item.words}</span>
          {item.items !== undefined && <Icon name="chevron" />}
          {(item.isOn ?? item.checked) === true && <Icon name="check" />}
        </button>
      ))}
    </div>
  )
}

const buttonsIn = (menu: Element): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>('.menu-item')]

/** Where a key leads to; null if it leads nowhere. */
function nextPlace(key: string, at: number, buttons: readonly HTMLElement[]): number | null {
  const { length } = buttons
  if (key === 'ArrowDown') return (at + 1) % length
  if (key === 'ArrowUp') return (at - 1 + length) % length
  if (key === 'Home') return 0
  if (key === 'End') return length - 1
  if (key.length !== 1 || key === ' ') return null
  const after = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)]
  const found = after.find(button => button.textContent.trim().toLowerCase().startsWith(key.toLowerCase()))
  return found === undefined ? null : buttons.indexOf(found)
}

const GAP_PX = 4
const EDGE_PX = 8

/** Below what opened it, or above where there is no room; never beyond the screen. */
function place(menu: HTMLElement, by: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = menu
  const below = by.bottom + GAP_PX
  const top = below + height > innerHeight - EDGE_PX ? Math.max(EDGE_PX, by.top - GAP_PX - height) : below
  const left = Math.min(by.left, innerWidth - EDGE_PX - width)
  menu.style.top = `${top}px`
  menu.style.left = `${Math.max(EDGE_PX, left)}px`
}
