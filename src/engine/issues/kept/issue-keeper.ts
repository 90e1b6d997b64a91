import type { IssueId } from '../../../domain/ids'
import type { FullIssue } from '../../../domain/issue/issue'

/** One issue as it is and as it is to be. */
export interface KeeperChange {
  /** As the keeper said it last; `null` = a new one. */
  before: FullIssue | null
  after: FullIssue
  isDeleted: boolean
}

/** What was asked for beyond what an issue then says. */
export interface Asked {
  /** Closes in spite of what a close refuses. */
  force: boolean
  /** The new issue's id was named, not made. */
  hasId: boolean
  /** The new id's prefix was named. */
  hasPrefix: boolean
  /** Why it is opened again, or deleted; where an issue says it itself, it is not here. */
  reason: string | null
}

/**
 * The port to another program that keeps a tracker's issues. It is the one that writes; what it then says of an issue is what is kept.
 * Its errors say what the program answered.
 */
export interface IssueKeeper {
  /**
   * Whether a read would give what the last one gave, as far as that is known without asking.
   * @param isCertain  by the database's files, and not because it was read a moment ago
   */
  isFresh(isCertain?: boolean): boolean
  /** It failed just now, and is not asked again for a while. */
  isDown(): boolean
  /**
   * Every issue, one JSON line each.
   * @param isForced  asks also where it failed just now
   * @throws `unavailable` it is missing, too old, too slow or says nothing that can be read
   */
  read(isForced: boolean): Promise<string>
  /**
   * Makes the changes, one command after the other. Earlier ones stay when a later one fails.
   *
   * @returns ids of new issues by the ids that they were to have
   * @throws `invalid` nothing was changed: it has no command for one of the fields · `conflict` it refused · `unavailable`
   */
  write(changes: readonly KeeperChange[], asked: Asked, actor: string): Promise<Map<IssueId, IssueId>>
}
