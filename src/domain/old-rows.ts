/** Removes what is older than a person wants to keep, some rows in each unit. Each call says how many went; 0 = no more. */
export interface OldRowsTx {
  /** Entries of the feed. The newest one stays: the numbers go on behind it. */
  dropFeed(before: number, limit: number): Promise<number>
  /**
   * Tasks that ended before, with their attempts, log, questions and read messages. What somebody may still need stays: see
   * `store/retention/old-rows.ts`.
   */
  dropTasks(before: number, limit: number): Promise<number>
}
