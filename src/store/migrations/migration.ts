/** The words in which the two databases differ, as migrations need them. */
export interface SqlWords {
  /** An integer primary key that the database fills. */
  key: string
  /** A 64-bit integer. */
  int: string
  /** Text that is compared by its bytes, whatever the database's language: ids are found by their beginning along the index. */
  bytewise: string
  /** 32 random characters, as an expression. */
  randomId: string
  /** Raw bytes. */
  blob: string
  /** Milliseconds since the epoch as ISO 8601 in UTC. */
  isoTime(column: string): string
  /** The text at a key of a column of JSON. */
  jsonText(column: string, key: string): string
  /** Clause for a table clustered by its primary key, where the database has it. */
  withoutRowid: string
  /** Behind an index's columns: the row's key, by which rows of one time are put in order. SQLite's indexes end with it by themselves. */
  thenKey: string
  /** Before an index's columns: texts of any length, looked up whole. PostgreSQL's usual index refuses a row with a text of some thousand bytes. */
  byWhole: string
  /** Full-text index over events: `event_text(rowid = event id, text)`. */
  fullText: string[]
  dropFullText: string[]
  /** The same of words by their stems, with a column of what tools gave out, which weighs less: `event_text(…, text, output)`. */
  stemmedText: string[]
  /** Indexes of those words by parts of the record, where the text index cannot be walked from the newest event on. */
  textParts: IndexPlan[]
  /** What `textParts` stands in for: away, and back. */
  dropWholeText: string[]
  wholeText: string[]
  /** The feed with its cursor. */
  feed: string[]
  dropFeed: string[]
  /** How rows of the feed that are committed get their numbers, where they do not get them as they are written. */
  feedNumbering: string[]
  dropFeedNumbering: string[]
  /** Leaves a part of each page to rows that change: their indexes are left alone then. Nothing where pages are not of that kind. */
  roomForUpdates(table: string): string[]
  noRoomForUpdates(table: string): string[]
  /** A function that does a short unit of tasks, where a round trip costs something. */
  taskUnits: string[]
  dropTaskUnits: string[]
  /** Several of them in one statement, which numbers the feed as well. */
  severalTaskUnits: string[]
  dropSeveralTaskUnits: string[]
  /** Triggers that keep where tasks and sessions stand in the tree of all work. */
  workPlaces: string[]
  dropWorkPlaces: string[]
  /** The trigger of a conversation's name, where it asks first whether there is anything to do; and as it was. */
  leanLinks: string[]
  fullLinks: string[]
  /** The feed without an index of the keys that it has until it is numbered, and with it. */
  leanFeed: string[]
  fullFeed: string[]
  /** Triggers that new tasks and named conversations set off, where they ask first what there is to do; and as they were. */
  quickUnits: string[]
  slowUnits: string[]
  /** Fills the sums of usage by hour and task, and triggers that keep them where something else than a message changes. */
  usageSums: string[]
  dropUsageSums: string[]
  /** Triggers that keep the share of each session, and sums of hours by it; and as they were before. */
  usageShares: string[]
  dropUsageShares: string[]
  /** The trigger that tells a session's agent CLI where the session stands below tasks. */
  workAgents: string[]
  dropWorkAgents: string[]
}

interface MigrationHead {
  number: number
  name: string
  /**
   * The oldest schema whose programs work on with this step applied. Left out: none does, so that the step is applied only while no
   * program that needs an older schema is at work.
   */
  minCompatible?: number
}

/** Statements that are kept together or not at all. Others wait for its locks, so on PostgreSQL it may do nothing that takes long. */
export interface SchemaStep extends MigrationHead {
  up(words: SqlWords): string[]
  down(words: SqlWords): string[]
}

/** Indexes of tables that may be large. PostgreSQL builds them while others write. */
export interface IndexStep extends MigrationHead {
  indexes(words: SqlWords): IndexPlan[]
}

export interface IndexPlan {
  name: string
  /** The table and what is indexed: `tasks (created_at)`. */
  on: string
  isUnique?: boolean
}

/** Values for rows that were there before a column was, some rows in each transaction. There is no way back: the column goes as a whole. */
export interface BackfillStep extends MigrationHead {
  /** Changes at most some thousand rows, and none where all are done. It runs until it changes none. */
  backfill(words: SqlWords): string
}

/**
 * One numbered step of the schema. Frozen once released. A change that older programs do not survive is made of several: one that adds
 * (`minCompatible` names the schema before it), one that fills, and in a later release one that takes away.
 */
export type Migration = SchemaStep | IndexStep | BackfillStep
