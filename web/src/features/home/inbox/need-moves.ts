import type { FeedEntry } from '#api/contract/wire'
import { client } from '../../../lib/api'
import { errorOf, type Move, useHeld } from '../../../lib/live/held-moves'
import { answerMove, consentMove, taskOvertaken } from '../../../lib/person-moves'
import type { Need } from '../needs'

/** An action on a need. */
export type NeedMove =
  | { kind: 'allow' | 'deny'; message?: string }
  | { kind: 'consent' }
  | { kind: 'dismiss' }
  | { kind: 'retry' }
  | { kind: 'read' }
  /** `until`: ISO 8601. */
  | { kind: 'snooze'; until: string }

/** How the held move of a need stands. The list itself changes when the feed reports it. */
export function useNeedState(need: Need) {
  const held = useHeld(keyOf(need))
  const isDone = held !== null && held.kind !== 'failed' && held.kind !== 'undone'
  return { held, isDone, error: errorOf(held) }
}

/** Whether a new task can resume the conversation. A lost task is resumed by its own next attempt instead. */
export const isResumable = ({ kind, taskId, sessionId }: Need): boolean =>
  kind === 'lost' && taskId === null && sessionId !== null

/** Whether a task made of a request from outside waits for the person's consent. */
const isConsentable = ({ kind, taskId }: Need): boolean => kind === 'request' && taskId !== null

/** Whether an action fits a need. */
export function canDo(need: Need, kind: NeedMove['kind']): boolean {
  switch (kind) {
    case 'allow':
    case 'deny':
      return need.question !== null
    case 'consent':
      return isConsentable(need)
    case 'dismiss':
    case 'snooze':
      return need.canDismiss
    case 'retry':
      return need.kind === 'failure' && need.taskId !== null
    case 'read':
      return need.kind === 'unread' && need.subagentId !== null
  }
}

/** Key of the held move. A question has the same key on every page. */
export const keyOf = ({ id, question }: Need): string => (question === null ? id : question.id)

/** Lets a call through, and such calls from now on. @param rule  one of those that the question offers */
export function alwaysMove({ question, title }: Need, rule: string): Move | null {
  if (question === null) return null
  return {
    ...answerMove(question, title, 'allow'),
    said: 'Allowed from now on',
    send: () => client.questions.alwaysAllow(question.id, { rule }),
  }
}

export function moveOf(need: Need, wanted: NeedMove): Move | null {
  const { question, taskId, subagentId, sessionId } = need
  const own = { key: keyOf(need), about: need.title }
  switch (wanted.kind) {
    case 'allow':
    case 'deny':
      return question === null ? null : answerMove(question, need.title, wanted.kind, wanted.message)
    case 'consent':
      return taskId === null ? null : consentMove(taskId, need.title)
    case 'dismiss':
      return {
        ...own,
        said: 'Dismissed',
        send: () => client.needs.dismiss({ id: need.id }),
        overtakenBy: ({ kind, data }: FeedEntry) =>
          kind === 'need.dismissed' && data.needId === need.id ? 'dismissed elsewhere' : null,
      }
    case 'snooze':
      return {
        ...own,
        said: Date.parse(wanted.until) > Date.now() ? 'Snoozed' : 'Woken',
        send: () => client.needs.snooze({ id: need.id, until: wanted.until }),
        overtakenBy: ({ kind, data }: FeedEntry) =>
          kind === 'need.dismissed' && data.needId === need.id ? 'dismissed elsewhere' : null,
      }
    case 'retry':
      return taskId === null
        ? null
        : {
            ...own,
            said: 'Retrying',
            send: () => client.tasks.retry(taskId, {}),
            overtakenBy: taskOvertaken(taskId),
          }
    case 'read':
      return subagentId === null
        ? null
        : {
            ...own,
            said: 'Marked as read',
            send: () => client.subagents.markRead(subagentId, sessionId === null ? {} : { sessionId }),
          }
  }
}
