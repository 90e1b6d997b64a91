import type { Access } from '../../domain/access/access'
import { ANSWER_INBOX } from '../../domain/access/rules'
import { AppError } from '../../domain/errors'
import type { InboxId } from '../../domain/ids'
import type { InboxMove, InboxRow, InboxTx } from '../../domain/inbox'
import { movedInbox } from '../../domain/inbox'
import { requireAccess } from '../access/require-access'
import { quoted } from '../unit/find-task'
import { mustLive } from '../unit/rights'
import { inWriteUnit, nameOf, type TaskParts, type Unit } from '../unit/unit'

/** A unit of work that sees the inbox too. */
export interface InboxUnit extends Unit {
  readonly inbox: InboxTx
}

export const inInboxUnit = <T>(
  parts: TaskParts,
  caller: Unit['caller'],
  work: (unit: InboxUnit) => Promise<T>,
): Promise<T> => inWriteUnit(parts, caller, (unit, tx) => work({ ...unit, inbox: tx.inbox }))

/** @throws `forbidden` `lease_lost` */
export async function mayAnswerOutside(unit: Unit, row: Access = ANSWER_INBOX): Promise<void> {
  await requireAccess(unit, row, null)
  await mustLive(unit)
}

/** @throws `not_found` */
export async function getInbox(unit: InboxUnit, id: InboxId): Promise<InboxRow> {
  const row = await unit.inbox.find(id)
  if (row === undefined)
    throw new AppError('not_found', `There is no inbox message ${quoted(id)}.`, {
      hint: 'Run `lode inbox list` to see all of them.',
    })
  return row
}

/** Moves a request: the one place that writes its status. @throws `conflict` it is closed */
export async function moveInbox(unit: InboxUnit, row: InboxRow, move: InboxMove): Promise<InboxRow> {
  const status = movedInbox(row.status, move)
  if (status === null)
    throw new AppError('conflict', `Inbox message ${row.id} is closed.`, {
      hint: 'The next message in its thread opens a new one.',
    })
  const answeredAt = move === 'reply' ? unit.now : row.answeredAt
  await unit.inbox.update(row.key, { status, answeredAt })
  const next = { ...row, status, answeredAt }
  await publishInbox(unit, next, move)
  return next
}

export const publishInbox = (unit: InboxUnit, row: InboxRow, what: string): void | Promise<void> =>
  unit.feed('inbox.updated', {
    inboxId: row.id,
    source: row.source,
    status: row.status,
    what,
    by: nameOf(unit.caller),
  })
