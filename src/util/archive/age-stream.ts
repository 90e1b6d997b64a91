/**
 * Files in the format of age (https://age-encryption.org/v1), as streams: what is encrypted here any age program opens, and the other way
 * round. The library is loaded when it is needed; most processes never do.
 */

/** The recipients of an encrypted file: keys, or one passphrase. */
export type EncryptTo = { recipients: readonly string[] } | { passphrase: string }

/** What may open a file: secret keys as text (`AGE-SECRET-KEY-…`), passphrases. */
export interface OpenWith {
  identities: readonly string[]
  passphrases: readonly string[]
}

/** Why a file can't be opened: `key` = none of the keys fits; `damaged` = it was changed or cut off. */
export class AgeError extends Error {
  readonly reason: 'key' | 'damaged'

  constructor(reason: 'key' | 'damaged', cause: unknown) {
    super(reason === 'key' ? 'no key fits' : 'the file was changed or cut off', { cause })
    this.name = 'AgeError'
    this.reason = reason
  }
}

/** How a file of this format begins. */
const HEAD = 'age-encryption.org/v1\n'
export const AGE_HEAD_BYTES = HEAD.length

export const isAgeFile = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, HEAD.length)).equals(Buffer.from(HEAD))

/** Whether a text is a public key that a file can be encrypted to. */
export async function isRecipient(text: string): Promise<boolean> {
  try {
    const { Encrypter } = await import('age-encryption')
    new Encrypter().addRecipient(text)
    return true
  } catch {
    return false
  }
}

/** The secret keys of an identity file: one a line, beside empty lines and comments. `null` = a line is neither. */
export async function readIdentities(text: string): Promise<string[] | null> {
  const { Decrypter } = await import('age-encryption')
  const found: string[] = []
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue
    try {
      new Decrypter().addIdentity(line)
    } catch {
      return null
    }
    found.push(line)
  }
  return found
}

/** A new key, and a file that holds it and that the passphrase opens: a passphrase costs a second for each file, a key nothing. */
export async function keyFor(passphrase: string): Promise<{ recipient: string; file: Uint8Array }> {
  const { Encrypter, generateX25519Identity } = await import('age-encryption')
  const identity = await generateX25519Identity()
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return { recipient: await recipientOf(identity), file: await encrypter.encrypt(`${identity}\n`) }
}

/** The secret key in a file of `keyFor`; `null` = none of the passphrases opens it. */
export async function openKey(file: Uint8Array, passphrases: readonly string[]): Promise<string | null> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase)
  try {
    return (await decrypter.decrypt(file, 'text')).trim()
  } catch {
    return null
  }
}

/** The public key of a secret one. */
export async function recipientOf(identity: string): Promise<string> {
  return await (await import('age-encryption')).identityToRecipient(identity)
}

/** Encrypts as the bytes come; memory holds one block of 64 KiB. */
export async function encrypted(bytes: ReadableStream<Uint8Array>, to: EncryptTo): Promise<ReadableStream<Uint8Array>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  if ('passphrase' in to) encrypter.setPassphrase(to.passphrase)
  else for (const recipient of to.recipients) encrypter.addRecipient(recipient)
  return await encrypter.encrypt(bytes)
}

/**
 * Decrypts as the bytes come. A block is given out when it is proved whole; that none is missing is known at the end alone.
 *
 * @throws AgeError  `key` at once; `damaged` at once or while it is read
 */
export async function decrypted(bytes: ReadableStream<Uint8Array>, by: OpenWith): Promise<ReadableStream<Uint8Array>> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const identity of by.identities) decrypter.addIdentity(identity)
  for (const passphrase of by.passphrases) decrypter.addPassphrase(passphrase)
  let plain: ReadableStream<Uint8Array>
  try {
    plain = await decrypter.decrypt(bytes)
  } catch (cause) {
    const isKey = cause instanceof Error && /no identity matched|passphrase/i.test(cause.message)
    throw new AgeError(isKey ? 'key' : 'damaged', cause)
  }
  const reader = plain.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (cause) {
        controller.error(new AgeError('damaged', cause))
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
