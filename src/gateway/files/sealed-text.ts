/** Encrypts texts that are kept where others could read them, with a secret that every node of the operator has. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** Seals texts with one secret. */
export type Sealer = {
  /** `before` is the sealed text that is replaced, if there is one: its salt is used again, so that its key need not be made anew. */
  readonly seal: (name: string, text: string, before?: string | null) => string
  readonly open: (name: string, sealed: string) => Result<string, Fault>
}

type Sealed = { readonly salt: Buffer; readonly nonce: Buffer; readonly tag: Buffer; readonly body: Buffer }

const CIPHER = 'aes-256-gcm'
/** The first key of every sealed text. No text that people write begins like this. */
const MARK = '{"sealed":"aes-256-gcm"'
const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }

export const isSealed = (text: string): boolean => text.startsWith(MARK)

export function createSealer(secret: string): Sealer {
  // A key takes a tenth of a second to make.
  const keys = new Map<string, Buffer>()
  const keyFor = (salt: Buffer): Buffer => {
    const name = salt.toString('base64')
    const key = keys.get(name) ?? scryptSync(secret.normalize('NFC'), salt, KEY_BYTES, SCRYPT)
    keys.set(name, key)
    return key
  }
  return {
    seal: (name, text, before) => {
      const salt = saltOf(before) ?? randomBytes(SALT_BYTES)
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, keyFor(salt), nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(name))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return written({ salt, nonce, tag: cipher.getAuthTag(), body })
    },
    open: (name, sealed) => {
      const parts = partsOf(sealed)
      if (parts === undefined) return err(fault('garbled', `${name}: what the database has is not whole`))
      try {
        const decipher = createDecipheriv(CIPHER, keyFor(parts.salt), parts.nonce, { authTagLength: TAG_BYTES })
        decipher.setAAD(Buffer.from(name))
        decipher.setAuthTag(parts.tag)
        return ok(Buffer.concat([decipher.update(parts.body), decipher.final()]).toString('utf8'))
      } catch {
        return err(
          fault('conflict', `${name}: TURNWISE_SECRET is not the one that it was encrypted with; use the same on every node`),
        )
      }
    },
  }
}

const written = (parts: Sealed): string =>
  `${MARK},${(['salt', 'nonce', 'tag', 'body'] as const).map(key => `"${key}":"${parts[key].toString('base64')}"`).join(',')}}`

const saltOf = (sealed: string | null | undefined): Buffer | undefined =>
  sealed === null || sealed === undefined ? undefined : partsOf(sealed)?.salt

function partsOf(sealed: string): Sealed | undefined {
  if (!isSealed(sealed)) return undefined
  const [, salt, nonce, tag, body] =
    /"salt":"([^"]*)","nonce":"([^"]*)","tag":"([^"]*)","body":"([^"]*)"\}$/
      .exec(sealed)
      ?.map(part => Buffer.from(part, 'base64')) ?? []
  if (salt?.length !== SALT_BYTES || nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES || body === undefined)
    return undefined
  return { salt, nonce, tag, body }
}
