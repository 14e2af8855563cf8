/** Why a request failed: an RFC 9457 problem, or no answer at all (status 0). */
export type ApiProblem = {
  readonly status: number
  readonly title: string
  readonly detail: string
  /** The kind of the fault, as the gateway names it. */
  readonly fault?: string
}

export type ApiResult<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: ApiProblem }

export const UNREACHABLE: ApiProblem = {
  status: 0,
  title: 'The gateway cannot be reached',
  detail: 'Your text is kept here. Try again when it is running.',
}

/** An answer that is not a success becomes words, even where something in between answered with a page of its own. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => null)
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  const { title, detail, fault } = given
  return {
    status: response.status,
    title: typeof title === 'string' ? title : `The gateway answered ${response.status}`,
    detail: typeof detail === 'string' ? detail : response.statusText,
    ...(typeof fault === 'string' ? { fault } : {}),
  }
}
