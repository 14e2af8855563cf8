/** Says which network addresses no request may go to. */
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Addresses at which cloud machines serve secrets to every program that runs on them. No provider is there. */
const SECRETIVE = new BlockList()
SECRETIVE.addSubnet('169.254.0.0', 16, 'ipv4')
SECRETIVE.addAddress('100.100.100.200', 'ipv4')
SECRETIVE.addSubnet('fe80::', 10, 'ipv6')
SECRETIVE.addAddress('fd00:ec2::254', 'ipv6')
// The same addresses in IPv6 notation, for networks that translate between the two.
SECRETIVE.addSubnet('::ffff:169.254.0.0', 112, 'ipv6')
SECRETIVE.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6')

const isSecretive = (address: string): boolean => {
  const kind = isIP(address)
  return kind !== 0 && SECRETIVE.check(address, kind === 4 ? 'ipv4' : 'ipv6')
}

/** Why nothing may be sent to a URL, or undefined. Host names are checked again after they are resolved. */
export function whyForbidden({ protocol, hostname }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return `its address must begin with https:// or http://, not ${protocol}`
  return isSecretive(hostname.replace(/^\[|\]$/g, ''))
    ? `the address ${hostname} is of this machine's own network alone`
    : undefined
}

/** Resolves a host name and refuses forbidden addresses, because a name may point anywhere. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  const found = (cause: NodeJS.ErrnoException | null, addresses: string | LookupAddress[], family?: number): void => {
    const all = typeof addresses === 'string' ? [addresses] : (addresses ?? []).map(each => each.address)
    const secretive = cause === null ? all.find(isSecretive) : undefined
    if (secretive === undefined) callback(cause, addresses, family)
    else callback(Object.assign(new Error(`${hostname} is ${secretive}`), { code: 'a forbidden address' }), '', 4)
  }
  lookup(hostname, options as LookupAllOptions, found as (cause: NodeJS.ErrnoException | null, all: LookupAddress[]) => void)
}

/** True if a host is this machine. Only there may a key travel unencrypted. */
export const isLoopbackHost = (hostname: string): boolean => {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare)
}

/** The rules above in one value, for the rooms that send requests of their own. */
export const addresses: {
  readonly whyForbidden: (url: URL) => string | undefined
  readonly isLoopbackHost: (hostname: string) => boolean
  readonly lookup: LookupFunction
} = { whyForbidden, isLoopbackHost, lookup: guardedLookup }
