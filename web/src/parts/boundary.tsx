import { leftWords } from '../reasons.ts'

/** Where the model's view begins: what stands above this line is not in the newest request. */
export function Boundary({ left }: { readonly left: number }): React.ReactNode {
  return <p className="line boundary">— {leftWords(left)} —</p>
}
