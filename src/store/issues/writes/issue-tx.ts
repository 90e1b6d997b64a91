import type { IssueTx } from '../../../domain/issue/issue-store'
import type { TaskDialect } from '../../sql/dialect'
import type { Driver, Program } from '../../sql/program'
import { nextReady } from '../ready'
import { blockers, needs, refreshBlocked } from './blocked'
import { addHistory, claim, claims, putClaim, removeClaim } from './claims'
import {
  dependents,
  dirtyIssues,
  findIssue,
  idsUnder,
  isAwaited,
  knownLines,
  markUnwritten,
  openChildren,
  setAbsent,
  setAllDirty,
  settle,
  takenIds,
} from './find'
import { countIssues, saveIssues } from './save'
import { insertTracker, keptLines, lockTracker, replaceKeptLines, tracker, trackerAt, updateTracker } from './trackers'

/** The issues' port over one connection. */
export function createIssueTx(driver: Driver, db: TaskDialect): IssueTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    tracker: (key) => drive(tracker(key)),
    trackerAt: (host, path) => drive(trackerAt(host, path)),
    insertTracker: (row) => drive(insertTracker(row)),
    updateTracker: (key, patch) => drive(updateTracker(key, patch)),
    lock: (key) => drive(lockTracker(db, key)),
    find: (key, id) => drive(findIssue(key, id)),
    save: (key, issues) => drive(saveIssues(db, key, issues)),
    refreshBlocked: (key, ids) => drive(refreshBlocked(db, key, ids)),
    needs: (key, from, to) => drive(needs(key, from, to)),
    taken: (key, ids) => drive(takenIds(db, key, ids)),
    idsUnder: (key, prefix) => drive(idsUnder(key, prefix)),
    count: (key) => drive(countIssues(key)),
    blockers: (key) => drive(blockers(key)),
    isAwaited: (key, id) => drive(isAwaited(key, id)),
    openChildren: (key, id) => drive(openChildren(key, id)),
    dependents: (key, id) => drive(dependents(key, id)),
    nextReady: (key, filter, now) => drive(nextReady(key, filter, now)),
    knownLines: (key) => drive(knownLines(key)),
    dirty: (key) => drive(dirtyIssues(key)),
    settle: (lines) => drive(settle(lines)),
    markUnwritten: (key, raw) => drive(markUnwritten(key, raw)),
    setAbsent: (keys, isAbsent) => drive(setAbsent(db, keys, isAbsent)),
    setAllDirty: (key) => drive(setAllDirty(key)),
    keptLines: (key) => drive(keptLines(key)),
    replaceKeptLines: (key, lines) => drive(replaceKeptLines(key, lines)),
    claim: (key) => drive(claim(key)),
    claims: () => drive(claims()),
    putClaim: (row) => drive(putClaim(row)),
    removeClaim: (key) => drive(removeClaim(key)),
    addHistory: (rows) => drive(addHistory(rows)),
  }
}
