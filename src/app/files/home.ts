import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { randomHex, sha256Hex } from '../../util/crypto'
import { claimFile } from '../../util/files/claim-file'

/** This machine as the record knows it. `name` is random, so that two machines of one host name stay apart. */
export interface HostIdentity {
  name: string
  hostname: string
}

/** Makes Lodeline's folder, closed to other users. @throws `invalid` when it is no folder or can't be made */
export function ensureHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    if ((statSync(home).mode & 0o077) !== 0) chmodSync(home, 0o700)
  } catch (cause) {
    throw new AppError('invalid', `Lodeline's folder ${home} can't be used: ${(cause as Error).message}`, {
      hint: 'Choose another folder with --home DIR or LODELINE_HOME.',
      cause,
    })
  }
}

/** Reads or makes the identity of this installation's machine. */
export function hostIdentity(home: string): HostIdentity {
  const given = givenKey()
  return {
    name: given === null ? made(join(home, 'host-id'), () => randomHex(16), /^[0-9a-f]{32}$/) : nameOfKey(given),
    hostname: hostname(),
  }
}

/** The secret by which this installation proves that it is `hostIdentity`. Made once. */
export function hostKey(home: string): string {
  return givenKey() ?? made(join(home, 'host-key'), () => randomHex(32), KEY_FORM)
}

const KEY_FORM = /^[0-9a-f]{64}$/

/** Names a file with the machine's key, for a container that loses its folder: any holder of the key is the same machine. */
export const HOST_KEY_VARIABLE = 'LODELINE_HOST_KEY_FILE'

/** @throws `invalid` the file is not there, or holds no key */
function givenKey(): string | null {
  const file = process.env[HOST_KEY_VARIABLE]
  if (file === undefined || file === '') return null
  const key = readText(file, KEY_FORM)
  if (key !== null) return key
  throw new AppError('invalid', `${HOST_KEY_VARIABLE} names ${file}, which holds no key.`, {
    hint: `Make one with 'openssl rand -hex 32 > FILE', and keep it: it is the machine's identity.`,
  })
}

const nameOfKey = (key: string): string => sha256Hex('host-id', key).slice(0, 32)

/** The file's text, which the first process that needs it writes. Processes that start at once agree. */
function made(path: string, make: () => string, form: RegExp): string {
  const known = readText(path, form)
  if (known !== null) return known
  // Another process may be first: its text counts.
  claimFile(path, `${make()}\n`)
  const text = readText(path, form)
  if (text === null)
    throw new AppError('invalid', `${path} does not have the content that Lodeline wrote.`, {
      hint: 'Remove the file. Lodeline creates a new one.',
    })
  return text
}

function readText(path: string, form: RegExp): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return form.test(text) ? text : null
  } catch {
    return null
  }
}
