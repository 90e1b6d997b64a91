/**
 * How the database of an agent CLI is recorded. Its rows become journals: one file of ours for each conversation, to which each version of
 * a row is appended once. From there on they are recorded like every other file. The database is only read.
 */
export interface HarnessDatabase {
  /** Whether a file or folder that a person names holds conversations that `open` reads. Looks at the disk; never throws. */
  recognises(path: string): boolean
  /**
   * @param source  a configuration folder, or what `recognises` knows; it may not be there yet
   * @param folder  of ours; made when something is found
   */
  open(source: string, folder: string): RowJournals
}

/** The journals of one database. */
export interface RowJournals {
  /** The folder whose direct entries change whenever the database does. */
  readonly watched: string
  /** Takes over what is new; costs a look at two files when nothing is. Gives way to other work. @throws the system's or SQLite's error */
  look(): Promise<RowLook>
  close(): void
}

export interface RowLook {
  /** Journals that grew. */
  paths: string[]
  /** There is more to take over at once: the look ended for others to have their turn. */
  isBehind: boolean
  /** Milliseconds until something is due that no change of the database will report; `null` = nothing is. */
  againInMs: number | null
  /** What is there and can't be read, for a person; `null` = all is read. */
  problem: string | null
}

/** What a journal of rows holds once its session was forgotten: it gets no line any more. */
export const FORGOTTEN_JOURNAL = '{"forgotten":true}\n'
