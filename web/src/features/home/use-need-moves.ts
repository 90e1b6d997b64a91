import { useCallback } from 'react'
import type { FeedEntry } from '#api/contract/wire'
import { client } from '../../lib/api'
import { errorOf, hold, type Move, useHeld } from '../../lib/live/held-moves'
import { answerMove, consentMove, taskOvertaken } from '../../lib/person-moves'
import type { Need } from './needs'

/** An action on a need. */
export type NeedMove =
  | { kind: 'allow' | 'deny'; message?: string }
  | { kind: 'consent' }
  | { kind: 'dismiss' }
  | { kind: 'retry' }
  | { kind: 'read' }

/** Performs actions on a need after the undo time, and tells how they went. The list itself changes when the feed reports it. */
export function useNeedMoves(need: Need) {
  const held = useHeld(keyOf(need))
  const isDone = held !== null && held.kind !== 'failed' && held.kind !== 'undone'
  const move = useCallback(
    (wanted: NeedMove) => {
      const made = isDone ? null : moveOf(need, wanted)
      if (made !== null) hold(made)
    },
    [need, isDone],
  )
  return { move, held, isDone, error: errorOf(held) }
}

export type NeedMoves = ReturnType<typeof useNeedMoves>

/** Key of the held move. A question has the same key on every page. */
export const keyOf = ({ id, question }: Need): string => (question === null ? id : question.id)

function moveOf(need: Need, wanted: NeedMove): Move | null {
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
