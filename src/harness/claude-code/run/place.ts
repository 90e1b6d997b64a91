import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'

/** Longest folder name that the CLI makes of a path without shortening it. */
const SLUG_LIMIT = 200

/**
 * The name of the folder in which the CLI keeps the conversations of a working directory: every character outside of ASCII
 * letters and digits becomes `-`; a longer one is cut and told apart by a hash of the whole path.
 */
export function folderOf(cwd: string): string {
  const slug = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  if (slug.length <= SLUG_LIMIT) return slug
  let hash = 0
  for (let i = 0; i < cwd.length; i++) hash = ((hash << 5) - hash + cwd.charCodeAt(i)) | 0
  return `${slug.slice(0, SLUG_LIMIT)}-${Math.abs(hash).toString(36)}`
}

/** Where the CLI keeps this conversation for this working directory, which it takes with its links resolved. */
export function transcriptPath(place: CliPlace, sessionId: string): string {
  return join(place.root, conversationFolder(place), `${checkedId(sessionId)}.jsonl`)
}

/** The folder of its conversations for this working directory, below the configuration folder. */
export const conversationFolder = ({ cwd }: Pick<CliPlace, 'cwd'>): string => join('projects', folderOf(resolved(cwd)))

function resolved(cwd: string): string {
  try {
    return realpathSync(cwd)
  } catch {
    return cwd
  }
}

/** An id that may become part of a path. @throws `invalid` */
export function checkedId(id: string): string {
  if (/^[\w-]{1,128}$/.test(id)) return id
  throw new AppError('invalid', `${JSON.stringify(id.slice(0, 100))} is not a session ID.`, { hint: 'Give a UUID.' })
}
