import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../domain/errors'

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
      hint: 'Name another one with --home DIR or LODELINE_HOME.',
      cause,
    })
  }
}

/** Reads or makes the identity of this installation's machine. Two processes that start at once agree. */
export function hostIdentity(home: string): HostIdentity {
  const path = join(home, 'host-id')
  const known = readName(path)
  if (known) return { name: known, hostname: hostname() }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${randomBytes(16).toString('hex')}\n`, { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch {
    // Another process was first: its name counts.
  } finally {
    unlinkSync(draft)
  }
  const name = readName(path)
  if (!name) throw new AppError('invalid', `${path} holds no host id`, { hint: 'Remove the file; a new one is made.' })
  return { name, hostname: hostname() }
}

function readName(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return /^[0-9a-f]{32}$/.test(text) ? text : null
  } catch {
    return null
  }
}
