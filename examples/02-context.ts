// The context engine alone, in any program and in a browser: a conversation in, exact messages and a receipt out.
import { assemble, explain, materialOf, measure, presets } from 'turnwise/context'

const material = materialOf({
  system: 'Be brief.',
  messages: [
    { role: 'user', text: 'My budget is 40 euros.' },
    { role: 'assistant', text: 'Noted.' },
    { role: 'user', text: 'What should I buy?' },
    { role: 'assistant', text: 'Tea.' },
    { role: 'user', text: 'And with what is left?' },
  ],
})

// A preset, or one of your own: here only the last two messages and the new one.
const policy = { ...presets.recent, window: { kind: 'last', messages: 2 } } as const

const plan = assemble(material, policy, measure)
if (!plan.ok) throw new Error(plan.fault.message)
console.log(explain(plan.value))
console.log(plan.value.messages)
