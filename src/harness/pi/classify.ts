import type { JournalRef } from '../../domain/harness/harness'

/**
 * Recognises a session's file by its name, and the output of a run by its first bytes. The folder of a session is named after the working
 * directory, unless a setting of the CLI names another one.
 *
 *     sessions/--home-user-project--/<time>_<session>.jsonl
 *     <time>_<session>.jsonl                  a release of 2025 put them beside its settings
 */
export function classify(path: string, head?: Uint8Array): JournalRef | null {
  const sessionId = sessionOf(path)
  if (sessionId !== null) return refOf('transcript', path, sessionId)
  return head !== undefined && isStream(head) ? refOf('stream', path, null) : null
}

const refOf = (kind: JournalRef['kind'], path: string, sessionId: string | null): JournalRef => ({
  ...{ agent: 'pi', kind, path, sessionId, subagentId: null },
})

/** The CLI takes other ids than its own where a program names one: of these letters, and of any length. */
const NAME =
  /(?:^|[/\\])\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)\.jsonl$/

/** The session that a file's name ends with; `null` = it is no file of a session. */
export const sessionOf = (path: string): string | null => NAME.exec(path)?.[1] ?? null

/** The id of the first request of a run of ours, which the CLI repeats in its answer. */
export const FIRST_REQUEST = 'lodeline-begin'

/** The output of a run of ours: extensions may have asked something before the first answer. */
const isStream = (head: Uint8Array): boolean =>
  new TextDecoder()
    .decode(head.subarray(0, 65_536))
    .split('\n')
    .some((line) => line.startsWith(`{"id":"${FIRST_REQUEST}","type":"response"`))
