/** Reads JSON bodies: bounded, UTF-8, not nested too deeply, and checked by a schema. */
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { DEEPEST, isDeeperThan } from '../../model/message/call-arguments.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** The most a JSON body may have. */
export const MOST_BYTES: number = 1 << 20

/** A higher limit for some bodies: `mayBe` decides by the parsed body whether it applies. */
export type Larger = { readonly bytes: number; readonly mayBe: (value: unknown) => boolean }

/** Reads and parses a body by its schema, or says what is wrong and where. No body at all counts as `{}`. */
export async function readBody<Value>(
  request: IncomingMessage,
  schema: z.ZodType<Value>,
  larger?: Larger,
): Promise<Result<Value, Fault>> {
  const bytes = await readBytes(request, larger?.bytes ?? MOST_BYTES)
  if (!bytes.ok) return bytes
  const text = decode(bytes.value)
  const value = text.ok ? parseJson(text.value) : text
  if (bytes.value.length > MOST_BYTES && !(value.ok && larger?.mayBe(value.value) === true)) return err(tooLarge(MOST_BYTES))
  return value.ok ? parseAs(value.value, schema) : value
}

/** What a schema says of a value, as one fault that names each place. */
export function parseAs<Value>(value: unknown, schema: z.ZodType<Value>): Result<Value, Fault> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  const complaints = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'body'}: ${message}`)
  return err(fault('invalid', complaints.join('; ')))
}

const tooLarge = (most: number): Fault => fault('too-large', `the body has more than ${most} bytes`)

async function readBytes(request: IncomingMessage, most: number): Promise<Result<Buffer, Fault>> {
  if (Number(request.headers['content-length'] ?? 0) > most) return err(tooLarge(most))
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > most) return err(tooLarge(most))
      chunks.push(chunk)
    }
  } catch {
    return err(fault('invalid', 'the body ended too early'))
  }
  return ok(Buffer.concat(chunks))
}

function decode(bytes: Buffer): Result<string, Fault> {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return err(fault('invalid', 'the body is not UTF-8'))
  }
}

function parseJson(text: string): Result<unknown, Fault> {
  if (text.trim() === '') return ok({})
  if (isDeeperThan(text, DEEPEST)) return err(fault('invalid', `the JSON nests deeper than ${DEEPEST}`))
  try {
    return ok(JSON.parse(text))
  } catch (cause) {
    return err(fault('invalid', `the body is not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}`))
  }
}
