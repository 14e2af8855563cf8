/** Path parameters, headers and query values that several routes take. */
import { z } from 'zod'
import { type Fault, fault } from '../../../model/fault.ts'
import {
  type ApprovalId,
  parseApprovalId,
  parseReceiptId,
  parseSessionId,
  parseTurnId,
  type ReceiptId,
  type SessionId,
  type TurnId,
} from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { maxTokensSchema, samplingSchema } from '../../../model/settings/sampling-schema.ts'
import { parseAs } from '../body.ts'
import { describedAs } from './schema.ts'

/** A path parameter or a header: how its text is read, and what the document says about it. */
export type RequestField<Value> = {
  readonly description: string
  readonly read: (text: string) => Result<Value, Fault>
  /** Any text, where it is not given. */
  readonly schema?: () => z.ZodType
}

export const sessionId: RequestField<SessionId> = { description: 'The id of a session', read: parseSessionId }
export const turnId: RequestField<TurnId> = { description: 'The id of a turn', read: parseTurnId }
export const approvalId: RequestField<ApprovalId> = { description: 'The id of an approval', read: parseApprovalId }
export const receiptId: RequestField<ReceiptId> = { description: 'The id of a receipt', read: parseReceiptId }

export const plainText = (description: string): RequestField<string> => ({ description, read: ok })

export const seq: RequestField<number> = {
  description: 'The seq of an event',
  read: given => {
    const read = parseAs({ seq: given }, eventPath)
    return read.ok ? ok(read.value.seq) : read
  },
  schema: () => z.int().min(1),
}

const fromOne = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1')
  .transform(Number)
const eventPath = z.object({ seq: fromOne })

const visible = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'Idempotency-Key: 1 to 200 visible characters')

/** Per session, for ever; visible characters only, so that it survives any proxy. */
export const idempotencyKey: RequestField<string> = {
  description: 'Sending the same key and text again gives the same answer; another text under the same key is a conflict',
  read: given => parseAs(given, visible),
  schema: () => visible,
}

export const lastEventId: RequestField<number> = {
  description: 'The seq of the last event that was read; it counts before the query',
  read: given => (/^\d{1,15}$/.test(given) ? ok(Number(given)) : err(fault('invalid', 'Last-Event-ID: must be a whole number'))),
  schema: () => z.int().min(0),
}

const digits = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

/** A whole number in a query. */
export const wholeNumber: z.ZodType<number, string> = describedAs(digits, () => z.int().min(0))

/** How many items a page may have. */
export const upTo = (most: number): z.ZodType<number, string> =>
  describedAs(digits.pipe(z.int().min(1).max(most)), () => z.int().min(1).max(most))

export const yesOrNo: z.ZodType<boolean, string> = describedAs(
  z.enum(['true', 'false']).transform(word => word === 'true'),
  () => z.boolean(),
)

/** A body without any fields. */
export const nothingSaid: z.ZodType<object> = z.strictObject({})

/** Advisors of a council by id, name or group. */
export const addressees: z.ZodType<string[]> = z.array(z.string().min(1).max(200)).min(1).max(100)

/** Something that a person could say. */
export const nonEmpty: z.ZodType<string> = z.string().refine(given => given.trim() !== '', 'must not be empty')

/** What a session is opened with, beside its title. */
export const sessionSettings: {
  readonly agent: z.ZodExactOptional<z.ZodString>
  readonly council: z.ZodExactOptional<z.ZodString>
  readonly policy: z.ZodExactOptional<z.ZodString>
  readonly model: z.ZodExactOptional<z.ZodString>
  readonly thinking: z.ZodExactOptional<z.ZodBoolean>
  readonly sampling: z.ZodExactOptional<typeof samplingSchema>
  readonly maxTokens: z.ZodExactOptional<typeof maxTokensSchema>
  readonly project: z.ZodExactOptional<z.ZodString>
  readonly private: z.ZodExactOptional<z.ZodBoolean>
} = {
  agent: z.string().exactOptional(),
  council: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  model: z.string().exactOptional(),
  thinking: z.boolean().exactOptional(),
  sampling: samplingSchema.exactOptional(),
  maxTokens: maxTokensSchema.exactOptional(),
  project: z.string().exactOptional(),
  private: z.boolean().exactOptional(),
}
