// What a person says of a model, as form fields: its window, its longest reply and its price.
import type { SettingPatch } from '../../wire/settings-api.ts'
import type { ModelRow } from '../../wire/workspace-api.ts'
import { numberText, readNumber } from '../settings/number-text.ts'

export type ModelFactsForm = {
  readonly window: string
  readonly output: string
  /** Dollars for a million tokens. */
  readonly priceIn: string
  readonly priceOut: string
}

const text = (value: number | null | undefined): string => numberText(value ?? null, 'plain')

export const modelFactsOf = ({ window, output, price }: ModelRow): ModelFactsForm => ({
  window: text(window),
  output: text(output),
  priceIn: text(price?.input),
  priceOut: text(price?.output),
})

/** Only what differs is sent; an empty field goes back to what is known of the model. */
export function modelFactsPatch(model: ModelRow, form: ModelFactsForm): SettingPatch {
  const before = modelFactsOf(model)
  const read = (name: keyof ModelFactsForm): unknown => readNumber(form[name], 'plain')
  const isPriced = form.priceIn !== before.priceIn || form.priceOut !== before.priceOut
  const price =
    form.priceIn.trim() === '' && form.priceOut.trim() === '' ? null : { input: read('priceIn'), output: read('priceOut') }
  return {
    models: {
      [model.name]: {
        ...(form.window === before.window ? {} : { window: read('window') }),
        ...(form.output === before.output ? {} : { output: read('output') }),
        ...(isPriced ? { price } : {}),
      },
    },
  }
}

export const isUnchanged = (model: ModelRow, form: ModelFactsForm): boolean =>
  JSON.stringify(modelFactsOf(model)) === JSON.stringify(form)
