// The table of settings in docs/page.md against the schema: a new setting needs a place on the page, or a reason.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { notEditable } from '../../src/gateway/settings/editable-keys.ts'
import { settingsSchema } from '../../src/model/settings/config.ts'

type Shape = { readonly properties?: Readonly<Record<string, Shape>> }

/** Keys that the schema names; a record of people's own names is one setting. */
function keysOf({ properties = {} }: Shape, under = ''): readonly string[] {
  return Object.entries(properties).flatMap(([key, shape]) =>
    shape.properties === undefined || `${under}${key}` === 'channels.telegram'
      ? [`${under}${key}`]
      : keysOf(shape, `${under}${key}.`),
  )
}

const schema = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }) as Shape

const rows = readFileSync('docs/page.md', 'utf8')
  .split('\n')
  .flatMap(line => {
    const found = /^\| `([a-zA-Z.]+)` \| ([^|]+) \|([^|]*)\|$/.exec(line)
    return found === null ? [] : [{ key: found[1] ?? '', place: (found[2] ?? '').trim(), why: (found[3] ?? '').trim() }]
  })

describe('the table of settings in docs/page.md', () => {
  test('has every setting of the schema once, and no other', () => {
    const keys = keysOf(schema)
    assert.ok(keys.length > 30, 'the schema was read')
    assert.deepEqual(rows.map(({ key }) => key).toSorted(), keys.toSorted())
  })
  test('gives a reason exactly for those that cannot be changed', () => {
    for (const { key, why } of rows) {
      const isFixed = notEditable(key.split('.'), undefined) !== undefined
      assert.equal(why !== '', isFixed, key)
    }
  })
})
