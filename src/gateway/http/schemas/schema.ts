/** Named schemas of what the gateway answers, and how a schema is turned into JSON Schema for the OpenAPI document. */
import { z } from 'zod'

/** A schema is made when the document or a test first needs it, because a gateway that starts needs none. */
export type Schema<Value> = () => z.ZodType<Value>

/** The schemas that have a name in the document. */
const named: z.core.$ZodRegistry<{ id: string }> = z.registry<{ id: string }>()

export function schema<Value>(name: string, make: () => z.ZodType<Value>): Schema<Value> {
  let made: z.ZodType<Value> | undefined
  return () => {
    made ??= make().register(named, { id: name })
    return made
  }
}

/** A text with a type of its own, such as an id. */
export const text = <Text extends string>(): z.ZodType<Text> => z.string() as unknown as z.ZodType<Text>

const described = new WeakMap<z.core.$ZodType, () => z.ZodType>()

/** Has the document describe a schema by another one, where code reads more than JSON Schema can say. */
export function describedAs<Given extends z.ZodType>(given: Given, as: () => z.ZodType): Given {
  described.set(given, as)
  return given
}

export const refTo = (name: string): string => `#/components/schemas/${name}`

/** The name of a schema in the document, if it has one. */
export const schemaName = (given: z.ZodType): string | undefined => named.get(given)?.id

type JsonSchema = Record<string, unknown>
/** Always the input form: an answer may get more fields one day, so its schema must not forbid them. */
const OPTIONS = { io: 'input', override: replaced } as const

export const jsonSchema = (given: z.ZodType): JsonSchema => withoutHead(z.toJSONSchema(given, OPTIONS))

/** All named schemas that were made so far, by name; they refer to each other. */
export function namedSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(named, { ...OPTIONS, uri: refTo })
  const sorted = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, made]) => [name, withoutHead(made)]))
}

function withoutHead({ $schema: _, $id: __, ...rest }: JsonSchema): JsonSchema {
  return rest
}

function replaced({ zodSchema, jsonSchema: made }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void {
  const as = described.get(zodSchema)
  if (as !== undefined) {
    for (const key of Object.keys(made)) delete made[key]
    Object.assign(made, jsonSchema(as()))
  }
  // Every whole number has these bounds in JavaScript; they say nothing about the number.
  if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
  if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
}
