import { readFileSync, statSync } from 'node:fs'
import { link, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { randomHex } from '../../util/crypto'
import { isOperatorToken } from '../contract/token-form'

/** Where an installation keeps its token. */
export const tokenPath = (home: string): string => join(home, 'token')

/**
 * Reads the installation's token, or makes it: 32 random bytes in hex, in a file that its owner alone can read. When several
 * processes make it at once, all get the same one.
 */
export async function ensureToken(home: string): Promise<string> {
  return (await readToken(home)) ?? (await makeToken(home))
}

/**
 * Reads the installation's token; `null` when there is none yet.
 *
 * @throws `invalid` when the file is no token, `forbidden` when others may read it: it is no secret then
 */
export async function readToken(home: string): Promise<string | null> {
  const path = tokenPath(home)
  const found = await readIfThere(path)
  if (found === null) return null
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new AppError('forbidden', `${path} can be read by others.`, {
      hint: `Remove it and restart the server to get a new token, or run \`chmod 600 ${path}\` if you trust everyone who could read it.`,
    })
  }
  const token = found.trim()
  if (isOperatorToken(token)) return token
  throw new AppError('invalid', `${path} contains no token.`, { hint: 'Remove it and restart the server.' })
}

/**
 * Gives the installation's token of now, for processes that outlive one: it looks into the file when that was replaced.
 *
 * @param first  what the file held just before
 */
export function followToken(home: string, first: string): () => string {
  const path = tokenPath(home)
  let token = first
  let seen = markOf(path)
  return () => {
    const now = markOf(path)
    if (now === seen) return token
    seen = now
    try {
      const text = readFileSync(path, 'utf8').trim()
      if (isOperatorToken(text)) token = text
    } catch {
      // It is gone, or being replaced: the former one is as good as none.
    }
    return token
  }
}

/** Another one for each file that took the place of another. */
function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`
}

/** Puts a new token in the place of the one that is there. A reader sees the one or the other whole. @returns the file */
export async function replaceToken(home: string): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const path = tokenPath(home)
  await rename(await writeDraft(path), path)
  return path
}

/** A new token in a file of its own beside `path`, on the disk. */
async function writeDraft(path: string): Promise<string> {
  const draft = `${path}.${randomHex(6)}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomHex(32)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return draft
}

async function makeToken(home: string): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const path = tokenPath(home)
  const draft = await writeDraft(path)
  // A link appears whole or not at all and never replaces: the first process wins, the others read its token.
  try {
    await link(draft, path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  const token = await readToken(home)
  if (token === null) throw new AppError('internal', `${path} disappeared while it was being created.`)
  return token
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw new AppError('unavailable', `${path} can't be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
