import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import type { EncryptTo, OpenWith } from '../../util/archive/age-stream'
import { usageError } from '../kit/arguments/parse-args'
import type { OptionSpecs, OptionValues } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { oneLine } from '../print/text'

/** Characters; a shorter one is found by trying. */
const MIN_PASSPHRASE = 8
/** Bytes of a file with keys or a passphrase. */
const MAX_KEY_FILE = 65_536
const VARIABLE = 'LODELINE_PASSPHRASE'

const PASSPHRASE = {
  passphrase: { kind: 'flag', help: `use a passphrase: $${VARIABLE}, or asked for in the terminal` },
  'passphrase-file': {
    kind: 'text',
    value: 'FILE',
    complete: 'file',
    help: 'use the passphrase in the first line of FILE',
  },
} as const satisfies OptionSpecs

/** Options of commands that write a file which may be encrypted. */
export const ENCRYPT_OPTIONS = {
  'encrypt-to': {
    kind: 'text',
    value: 'KEY',
    isRepeated: true,
    help: 'encrypt to this public key of age (age1...); any one of several keys opens the file',
  },
  ...PASSPHRASE,
} as const satisfies OptionSpecs

/** Options of commands that read such a file. */
export const DECRYPT_OPTIONS = {
  identity: {
    kind: 'text',
    value: 'FILE',
    isRepeated: true,
    complete: 'file',
    help: 'open the file with the secret keys in FILE, as age-keygen writes it',
  },
  ...PASSPHRASE,
} as const satisfies OptionSpecs

/** `null` = not encrypted. @throws `invalid` */
export async function encryptToOf(
  context: Context,
  options: OptionValues<typeof ENCRYPT_OPTIONS>,
): Promise<EncryptTo | null> {
  const recipients = options['encrypt-to']
  const passphrase = passphraseOf(context, options, true)
  if (recipients.length === 0) return passphrase === null ? null : { passphrase }
  if (passphrase !== null) throw usageError(context.path)('Use either --encrypt-to or a passphrase, not both.')
  const { isRecipient } = await import('../../util/archive/age-stream')
  for (const recipient of recipients) if (!(await isRecipient(recipient))) throw notPublic(recipient)
  return { recipients }
}

/** A secret key in its place, also a mistyped one, is not printed. */
function notPublic(given: string): AppError {
  if (/^age-secret-key-/i.test(given))
    return new AppError('invalid', 'This is a secret age key. A public key is needed here.', {
      hint: 'Use the public key, which begins with age1.',
    })
  return new AppError('invalid', `'${oneLine(given.slice(0, 100))}' is not a public age key.`, {
    hint: 'A public key begins with age1. `age-keygen` makes a pair of keys.',
  })
}

/** @throws `invalid` */
export async function openWithOf(context: Context, options: OptionValues<typeof DECRYPT_OPTIONS>): Promise<OpenWith> {
  const identities: string[] = []
  for (const name of options.identity) {
    const { readIdentities } = await import('../../util/archive/age-stream')
    const found = await readIdentities(readSmall(resolve(context.io.cwd, name)))
    if (found === null || found.length === 0)
      throw new AppError('invalid', `${oneLine(name)} holds no secret key of age.`, {
        hint: 'Name the file that `age-keygen` wrote. Its keys begin with AGE-SECRET-KEY-.',
      })
    identities.push(...found)
  }
  const passphrase = passphraseOf(context, options, false)
  return { identities, passphrases: passphrase === null ? [] : [passphrase] }
}

function passphraseOf(
  { io, path }: Context,
  options: { passphrase: boolean; 'passphrase-file': string | undefined },
  isNew: boolean,
): string | null {
  const file = options['passphrase-file']
  if (file !== undefined && options.passphrase)
    throw usageError(path)('Use either --passphrase or --passphrase-file, not both.')
  if (file !== undefined) return checked(readSmall(resolve(io.cwd, file)).split(/\r?\n/)[0] ?? '', isNew)
  if (!options.passphrase) return null
  const given = io.env[VARIABLE]
  if (given) return checked(given, isNew)
  if (!io.canAsk)
    throw new AppError('invalid', 'There is no terminal to ask for the passphrase in.', {
      hint: `Use --passphrase-file FILE, or set ${VARIABLE}.`,
    })
  const first = checked(io.askSecret('Passphrase: '), isNew)
  if (isNew && io.askSecret('Again: ') !== first) throw new AppError('invalid', 'The two passphrases differ.')
  return first
}

function checked(passphrase: string, isNew: boolean): string {
  if (isNew && passphrase.length < MIN_PASSPHRASE)
    throw new AppError('invalid', `The passphrase has less than ${MIN_PASSPHRASE} characters.`, {
      hint: 'Use four or more random words.',
    })
  return passphrase
}

function readSmall(path: string): string {
  try {
    if (statSync(path).size > MAX_KEY_FILE) throw new AppError('too_large', `${path} has more than 64 KiB.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('invalid', `${path} can't be read: ${(error as Error).message}`)
  }
}
