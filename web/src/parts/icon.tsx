// Every icon of the page.
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
  again: 'M19 12a7 7 0 1 1-2.2-5.1M19 4v4.5h-4.5',
  back: 'M15 6l-6 6 6 6',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4.5l3 2',
  wrap: 'M4 6h16M4 12h13a3 3 0 0 1 0 6h-4M15 15.5 12.5 18l2.5 2.5M4 18h4',
  hide: 'M4 12c2-3.6 4.7-5.4 8-5.4s6 1.8 8 5.4c-2 3.6-4.7 5.4-8 5.4S6 15.6 4 12ZM12 9.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8ZM5 19 19 5',
  alert: 'M12 4 2.8 19.5h18.4L12 4ZM12 10v4.5M12 17v.2',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 11v5M12 8v.2',
  more: 'M5.5 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0M11.4 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0M17.3 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0',
  sidebar: 'M4 5h16v14H4zM9.5 5v14',
  folder: 'M4 7V6h5.5l2 2.5H20V18H4V7Z',
  chats: 'M4 6h12v8H9l-3 3v-3H4zM19 9.5h1.5V17H19v3l-3-3h-4',
  archive: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
  restore: 'M5 9h9a5 5 0 0 1 0 10H9M5 9l4-4M5 9l4 4',
  pushpin: 'M9 4h6l-.8 6 2.8 3.5H7L9.8 10 9 4ZM12 13.5V20',
  link: 'M10 14a4 4 0 0 0 5.7 0l2.8-2.8a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-2.8 2.8a4 4 0 0 0 5.7 5.7l1-1',
  sliders: 'M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4',
  keyboard: 'M3.5 6.5h17v11h-17zM7 10h.01M10.3 10h.01M13.7 10h.01M17 10h.01M8 14h8',
  command: 'M5 6l5 5-5 5M12 18h7',
  person: 'M12 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM5 20a7 7 0 0 1 14 0',
  people: 'M9 6a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM3 19a6 6 0 0 1 12 0M15.5 6.3a3 3 0 0 1 0 5.4M18 14.2a6 6 0 0 1 3 4.8',
  spark: 'M12 4l1.8 6.2L20 12l-6.2 1.8L12 20l-1.8-6.2L4 12l6.2-1.8L12 4Z',
  scales: 'M12 4v16M8 20h8M5 7h14M5 7l-2.5 6a2.5 2.5 0 0 0 5 0L5 7ZM19 7l-2.5 6a2.5 2.5 0 0 0 5 0L19 7Z',
  inspectApi: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.3 15.3 20 20M7.5 9h6M7.5 12h4',
  strip: 'M4 8h3v8H4zM10.5 8h3v8h-3zM17 8h3v8h-3z',
  chip: 'M7 7h10v10H7zM10 4v3M14 4v3M10 17v3M14 17v3M4 10h3M4 14h3M17 10h3M17 14h3',
  bars: 'M5 20V12M10 20V6M15 20v-9M20 20V9',
  plug: 'M9 4v4M15 4v4M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0V8ZM12 17v3.5',
  gear: 'M12 8.8a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4ZM12 3.5v2.8M12 17.7v2.8M3.5 12h2.8M17.7 12h2.8M6 6l2 2M16 16l2 2M18 6l-2 2M8 16l-2 2',
  lock: 'M6.5 11h11v8.5h-11zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  memory: 'M6 4h12v16l-6-4.5L6 20z',
  shrink: 'M4 6h16M4 18h16M8 12h8M12 7v3M12 17v-3',
  file: 'M7 4h7l4 4v12H7zM14 4v4h4',
  clip: 'M18 11.5 12.2 17.3a4 4 0 0 1-5.7-5.7l6.4-6.4a2.7 2.7 0 0 1 3.8 3.8l-6.3 6.3a1.3 1.3 0 0 1-1.9-1.9l5.6-5.5',
  later: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4.5l3 2',
  system: 'M4 5h16v11H4zM9 20h6',
  star: 'M12 4l2.4 5.2 5.6.6-4.2 3.8 1.2 5.6L12 16.4 7 19.2l1.2-5.6L4 9.8l5.6-.6L12 4Z',
  key: 'M14.5 4.5a5 5 0 1 0-4.2 7.7L4 18.5V20h3v-2h2v-2h2l2-2.3a5 5 0 0 0 1.5-9.2ZM15.5 8.5h.01',
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
