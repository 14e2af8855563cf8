import { guardedLookup, isLoopbackHost, whyForbidden } from '../../src/provider/transport/addresses.ts'
import type { Addresses } from '../../src/tool/mcp/fetch.ts'

/** The providers' rules, as the engine hands them on. */
export const ADDRESSES: Addresses = { whyForbidden, isLoopbackHost, lookup: guardedLookup }
