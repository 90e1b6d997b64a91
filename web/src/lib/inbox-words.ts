import type { ResponseOf } from '../../../src/api/contract/responses'
import { FINAL_TASK_STATUSES } from '../../../src/domain/task'

export type InboxRequest = ResponseOf<'inbox.get'>['message']
export type InboxTask = InboxRequest['tasks'][number]

const isOver = ({ status }: InboxTask): boolean => (FINAL_TASK_STATUSES as readonly string[]).includes(status)

/** The task that works on it; nobody else gets it meanwhile. */
export const atWork = ({ tasks }: Pick<InboxRequest, 'tasks'>): InboxTask | null =>
  tasks[0] !== undefined && !isOver(tasks[0]) ? tasks[0] : null

/** A task that knows the thread, whose conversation a new one may go on with. */
export const earlierTask = ({ tasks, followsUp }: Pick<InboxRequest, 'tasks' | 'followsUp'>): InboxTask | null =>
  tasks[0] ?? followsUp

/** Where a reply is, for a person. */
export const REPLY_WORDS: Readonly<Record<InboxRequest['replies'][number]['status'], string>> = {
  waiting: 'queued: its source has not fetched it yet',
  sent: 'sent',
  failed: 'refused by its source',
}
