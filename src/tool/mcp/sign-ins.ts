// How people sign in to MCP servers that want to know who asks.
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { Fault } from '../../model/fault.ts'
import type { Result } from '../../model/result.ts'
import type { ServerAddress } from './connect.ts'
import type { Library } from './failure.ts'

export type SignIns = {
  /** Gives a server the token of its sign-in. Undefined where there is no signing in: processes, and addresses with a key of their own. */
  readonly authProvider: (name: string, place: ServerAddress) => ((library: Library) => AuthProvider) | undefined
  readonly isSignedIn: (name: string, place: ServerAddress) => boolean
  /** The address at which a person signs in. */
  readonly begin: (
    library: Library,
    name: string,
    place: ServerAddress,
    redirect: string,
  ) => Promise<Result<{ readonly url: string }, Fault>>
  /** A person is back; gives the name of the server. `placeOf` says where a server is now. */
  readonly finish: (
    library: Library,
    answer: URLSearchParams,
    placeOf: (name: string) => ServerAddress | undefined,
  ) => Promise<Result<string, Fault>>
  readonly forget: (name: string) => Promise<Result<null, Fault>>
}
