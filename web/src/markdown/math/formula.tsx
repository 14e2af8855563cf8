// Draws a formula once the typesetter is loaded, and its source until then.
import { useLayoutEffect, useRef, useState } from 'react'
import { ScrollBox } from '../scroll-box.tsx'
import type { FormulaNode as FormulaTree } from '../tree.ts'
import { lazily, useLazily } from '../use-lazily.ts'

const typesetter = lazily(() => import('./typeset.ts').then(({ typeset }) => typeset))

type FormulaProps = { readonly formula: FormulaTree }

/** A formula. Shows its source until it is typeset, and if it cannot be. */
export function Formula({ formula: { tex, source, display } }: FormulaProps): React.ReactNode {
  const typeset = useLazily(typesetter, true)
  const place = useRef<HTMLSpanElement>(null)
  const [isSet, setSet] = useState(false)
  useLayoutEffect(() => {
    if (typeset !== null && place.current !== null) setSet(typeset(tex, display, place.current))
  }, [typeset, tex, display])
  // KaTeX draws into an element of its own, so that React never touches its nodes.
  const both = (
    <>
      {!isSet && <code>{source}</code>}
      <span ref={place} hidden={!isSet} />
    </>
  )
  if (!display) return <bdi className="formula">{both}</bdi>
  return <span className="formula formula-alone">{both}</span>
}

/** A display formula may be wider than the page. */
export function FormulaBlock({ formula }: FormulaProps): React.ReactNode {
  return (
    <ScrollBox label="Formula" className="formula-block">
      <Formula formula={formula} />
    </ScrollBox>
  )
}
