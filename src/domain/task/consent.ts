import type { TaskRow } from './task-store'

/** What a task says by `source` that was made of a request from outside. */
export const INBOX_SOURCE = 'inbox'

/**
 * Whether only a person starts the task: an agent made it of what a stranger wrote, and it never ran. Once a person let it begin, or its
 * source needs no consent, it is a task like others.
 */
export const startsByConsent = ({
  source,
  creatorAgentKey,
  attemptCount,
}: Pick<TaskRow, 'source' | 'creatorAgentKey' | 'attemptCount'>): boolean =>
  source === INBOX_SOURCE && creatorAgentKey !== null && attemptCount === 0

/** What a person types to start it. */
export const consentCommand = (task: TaskRow['id']): string => `lode task deploy ${task}`
