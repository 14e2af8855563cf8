// The clock command.
import { aligned } from '../output/aligned.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { complain, print, type Terminal } from '../output/terminal.ts'

export type ClockOptions = { readonly zone?: string; readonly json?: boolean }

/** A moment as a wall clock in one time zone shows it. */
export type Face = {
  readonly zone: string
  readonly weekday: string
  readonly date: string
  readonly time: string
  /** The offset from UTC, as in `+02:00`. */
  readonly offset: string
  readonly iso: string
}

/** Prints the time in a zone and in UTC. */
export function clockCommand(terminal: Terminal, { zone, json = false }: ClockOptions, now: Date = new Date()): number {
  const utc = faceOf(now, 'UTC')
  const here = zone === undefined ? (faceOf(now, ownZone()) ?? utc) : faceOf(now, zone)
  if (here === undefined || utc === undefined) return complain(terminal, unknownZone(zone ?? ''))
  const faces = here.zone === 'UTC' ? [utc] : [here, utc]
  if (json) print(terminal, jsonForTerminal({ now: faces[0], utc }))
  else
    print(
      terminal,
      ...aligned(faces.map(face => [face.zone, face.weekday, face.date, face.time, face.iso])).map(line => line.trim()),
    )
  return 0
}

/** The system's time zone, or UTC if the system names none or an unknown one. */
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC'

/** Undefined for an unknown zone. */
export function faceOf(now: Date, zone: string): Face | undefined {
  const format = formatOf(zone)
  if (format === undefined) return undefined
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const date = `${parts.year}-${parts.month}-${parts.day}`
  const time = `${parts.hour}:${parts.minute}:${parts.second}`
  const offset = (parts.timeZoneName ?? '').replace('GMT', '') || '+00:00'
  const name = format.resolvedOptions().timeZone
  return { zone: name, weekday: parts.weekday ?? '', date, time, offset, iso: `${date}T${time}${name === 'UTC' ? 'Z' : offset}` }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    })
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

const EXAMPLE = 'Europe/Oslo'

/** People often give only the name of a city. */
function unknownZone(zone: string): string {
  const city = zone.trim().replaceAll(' ', '_').toLowerCase()
  const meant = Intl.supportedValuesOf('timeZone').find(name => city !== '' && name.toLowerCase().endsWith(`/${city}`))
  const hint = meant === undefined ? `zones are named as in "${EXAMPLE}" or "UTC"` : `did you mean "${meant}"?`
  return `there is no time zone ${JSON.stringify(zone.slice(0, 100))}; ${hint}`
}
