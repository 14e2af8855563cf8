const PATHS = {
  mark: 'M4 12a8 8 0 0 1 16 0 6 6 0 0 1-12 0 4 4 0 0 1 8 0',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.8 15.8 20 20',
  menu: 'M4 7h16M4 12h16M4 17h10',
  close: 'M6 6l12 12M18 6 6 18',
  pen: 'M14.5 5.5l4 4L8 20H4v-4L14.5 5.5Z',
  bin: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7',
  send: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  chevron: 'M9 6l6 6-6 6',
  tool: 'M14.5 6.2a4 4 0 0 0-5.2 5.2L4.5 16.2a1.8 1.8 0 0 0 0 2.5l.8.8a1.8 1.8 0 0 0 2.5 0l4.8-4.8a4 4 0 0 0 5.2-5.2l-2.5 2.5-2.8-.6-.6-2.8 2.6-2.4Z',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 4 2.8 19.5h18.4L12 4ZM12 10v4.5M12 17v.2',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 11v5M12 8v.2',
  system: 'M4 5h16v11H4zM9 20h6',
  light:
    'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M18.4 5.6l-1.1 1.1M6.7 17.3l-1.1 1.1',
  dark: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z',
} as const

export type IconName = keyof typeof PATHS

/** A line drawing; the words beside it, or its button's label, say what it means. */
export function Icon({ name }: { readonly name: IconName }): React.ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
