/** Every route that takes a JSON body, with a body that it accepts. */
export const DOORS: readonly {
  readonly method: 'POST' | 'PATCH'
  readonly path: (session: string) => string
  readonly good: Readonly<Record<string, unknown>>
  readonly status: number
}[] = [
  { method: 'POST', path: () => '/api/sessions', good: { title: 'A title' }, status: 201 },
  { method: 'PATCH', path: session => session, good: { title: 'Another title' }, status: 200 },
  { method: 'POST', path: session => `${session}/messages`, good: { text: 'Hello' }, status: 202 },
  { method: 'POST', path: session => `${session}/cancel`, good: {}, status: 200 },
  { method: 'POST', path: session => `${session}/quote`, good: { text: 'Hello' }, status: 200 },
  { method: 'POST', path: () => '/api/quote', good: { text: 'Hello', agent: 'assistant' }, status: 200 },
  { method: 'POST', path: session => `${session}/marks`, good: { seq: 2, mark: 'pin' }, status: 200 },
  { method: 'POST', path: session => `${session}/context`, good: { text: 'Hello', policy: 'recent' }, status: 200 },
]
