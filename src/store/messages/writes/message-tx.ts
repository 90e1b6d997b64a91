import type { MessageTx } from '../../../domain/message/message-store'
import type { TaskDialect } from '../../sql/dialect'
import type { Driver, Program } from '../../sql/program'
import { addressOf, putAlias } from '../addresses'
import { countSent, hasWritten, isOf } from '../senders'
import { conversationsOf, linesOf, settleLine, unsettledLines } from './lines'
import { awaiting, completedAttempts, mailAt, mailOf, openChildren, openTask, speakersFor } from './mail'
import {
  addStep,
  byCause,
  countWaiting,
  deliveredTo,
  findMessage,
  flownBy,
  flyingTargets,
  inFlight,
  insertMessage,
  inTurn,
  lapsed,
  updateMessage,
  waiting,
} from './messages'
import { isAwaited, isKnown, putWait, removeWait } from './waits'

/** The messages' port over one connection. `now` is asked once per call: a unit's clock stands still. */
export function createMessageTx(driver: Driver, db: TaskDialect, now: () => number): MessageTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    insert: (row) => drive(insertMessage(db, now(), row)),
    turn: (to) => drive(inTurn(db, to)),
    find: (id) => drive(findMessage(db, id)),
    byCause: (to, cause) => drive(byCause(db, to, cause)),
    update: (id, patch) => drive(updateMessage(id, patch)),
    addStep: (id, step) => drive(addStep(id, step)),
    waiting: (to, limit) => drive(waiting(db, to, limit)),
    countWaiting: (to) => drive(countWaiting(to)),
    inFlight: (to) => drive(inFlight(db, to)),
    deliveredTo: (to) => drive(deliveredTo(db, to)),
    flownBy: (targets) => drive(flownBy(db, targets)),
    flights: (limit) => drive(flyingTargets(limit)),
    unsettled: (limit, to) => drive(unsettledLines(limit, to)),
    settleLine: (line) => drive(settleLine(line)),
    lapsed: (limit) => drive(lapsed(db, limit)),
    linesOf: (id) => drive(linesOf(id)),
    conversationsOf: (task) => drive(conversationsOf(task)),
    addressOf: (id) => drive(addressOf(id)),
    isOf: (id, of, as) => drive(isOf(id, of, as)),
    hasWritten: (from, to) => drive(hasWritten(from, to)),
    countSent: (from, since, limit) => drive(countSent(from, since, limit)),
    putAlias: (alias, to, evidence) => drive(putAlias(alias, to, evidence, now())),
    isKnown: (of) => drive(isKnown(of)),
    putWait: (of, call, until) => drive(putWait(of, call, until)),
    removeWait: (of, call) => drive(removeWait(of, call)),
    isAwaited: (of) => drive(isAwaited(of, now())),
    mailOf: (tasks) => drive(mailOf(db, tasks)),
    mailAt: (of) => drive(mailAt(of)),
    openChildren: (of, limit) => drive(openChildren(of, limit)),
    openTask: (task) => drive(openTask(task)),
    awaiting: (limit) => drive(awaiting(limit)),
    speakersFor: (of, limit) => drive(speakersFor(of, limit)),
    completedAttempts: (task) => drive(completedAttempts(task)),
  }
}
