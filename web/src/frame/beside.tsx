// The panel beside the conversation; loads the inspector when it is opened.
import { lazy, Suspense } from 'react'
import type { Look } from '../view/route.ts'
import { Mishap } from './mishap.tsx'

/** Loaded when the person first opens the inspector. */
const Inspector = lazy(() => import('../inspector/inspector.tsx').then(({ InspectorPanel }) => ({ default: InspectorPanel })))

/** What is looked at beside the conversation. */
export function Beside({ session, look }: { readonly session: string; readonly look: Look }): React.ReactNode {
  return (
    <Mishap>
      <Suspense fallback={<aside className="inspector" aria-label="Inspector" aria-busy="true" />}>
        <Inspector session={session} look={look} />
      </Suspense>
    </Mishap>
  )
}
