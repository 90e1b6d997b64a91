import { address } from '../../../domain/ids'
import type { InboxTx } from '../../../domain/inbox'
import type { TaskDialect } from '../../sql/dialect'
import type { Driver, Program } from '../../sql/program'
import {
  addTask,
  countNew,
  findInbox,
  inboxByKey,
  inboxByOnceKey,
  insertInbox,
  presentLead,
  tasksOf,
  threadTask,
  untold,
  updateInbox,
} from './inbox'
import {
  countReplies,
  countSources,
  dueReplies,
  findReply,
  findSource,
  insertReply,
  putSource,
  removeSource,
  updateReply,
  waitingReplies,
} from './replies'

/** The inbox's port over one connection. */
export function createInboxTx(driver: Driver, db: TaskDialect): InboxTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    insert: (row) => drive(insertInbox(db, row)),
    find: (id) => drive(findInbox(db, id)),
    byKey: (key) => drive(inboxByKey(db, key)),
    byOnceKey: (source, onceKey) => drive(inboxByOnceKey(db, source, onceKey)),
    update: (key, patch) => drive(updateInbox(key, patch)),
    countNew: (source) => drive(countNew(source)),
    untold: (limit) => drive(untold(db, limit)),
    addTask: (key, task, at) => drive(addTask(key, task, at)),
    tasksOf: (key) => drive(tasksOf(key)),
    threadTask: (of) => drive(threadTask(of)),
    insertReply: (row) => drive(insertReply(row)),
    reply: (id) => drive(findReply(db, id)),
    countReplies: (key) => drive(countReplies(key)),
    updateReply: (id, patch) => drive(updateReply(id, patch)),
    dueReplies: (now, limit) => drive(dueReplies(db, now, limit)),
    waitingReplies: (source, limit) => drive(waitingReplies(db, source, limit)),
    source: (name) => drive(findSource(db, name)),
    putSource: (row) => drive(putSource(row)),
    removeSource: (name) => drive(removeSource(name)),
    countSources: () => drive(countSources()),
    presentLead: (since) =>
      drive(
        (function* () {
          const found = yield* presentLead(since)
          return found === undefined ? undefined : address(found)
        })(),
      ),
  }
}
