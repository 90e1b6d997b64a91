import type { JournalRef } from '../../domain/harness/harness'

/**
 * Recognises a session's file by its name. Its folder is named after the working directory, unless a setting of the CLI names another one.
 *
 *     sessions/--home-user-project--/<time>_<session>.jsonl
 *     <time>_<session>.jsonl                  a release of 2025 put them beside its settings
 */
export function classify(path: string): JournalRef | null {
  const sessionId = sessionOf(path)
  return sessionId === null ? null : { agent: 'pi', kind: 'transcript', path, sessionId, subagentId: null }
}

/** The CLI takes other ids than its own where a program names one: of these letters, and of any length. */
const NAME =
  /(?:^|[/\\])\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)\.jsonl$/

/** The session that a file's name ends with; `null` = it is no file of a session. */
export const sessionOf = (path: string): string | null => NAME.exec(path)?.[1] ?? null
