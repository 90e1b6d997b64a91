import type { Answers } from '#api/contract/operations/index'
import { isFinal } from '#domain/task/task'

export type InboxRequest = Answers['inbox']['get']['message']
export type InboxTask = InboxRequest['tasks'][number]

const isOver = ({ status }: InboxTask): boolean => isFinal(status)

/** The task that works on the request; until it ends, the request cannot be delegated again. */
export const atWork = ({ tasks }: Pick<InboxRequest, 'tasks'>): InboxTask | null =>
  tasks[0] !== undefined && !isOver(tasks[0]) ? tasks[0] : null

/** The latest task of the thread, whose conversation a new task can continue. */
export const earlierTask = ({ tasks, followsUp }: Pick<InboxRequest, 'tasks' | 'followsUp'>): InboxTask | null =>
  tasks[0] ?? followsUp

/** Delivery states of replies. */
export const REPLY_WORDS: Readonly<Record<InboxRequest['replies'][number]['status'], string>> = {
  waiting: 'queued: the source has not fetched it yet',
  sent: 'sent',
  failed: 'refused by the source',
}
