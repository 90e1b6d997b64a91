import { useCallback } from 'react'
import type { FeedEntry } from '../../../../src/api/contract/wire'
import { client } from '../../lib/api'
import { errorOf, hold, type Move, useHeld } from '../../lib/held-moves'
import type { Need } from '../../lib/needs'
import { answerMove, taskOvertaken } from '../../lib/person-moves'

/** What a person can do about a need. */
export type NeedMove =
  | { kind: 'allow' | 'deny'; message?: string }
  | { kind: 'dismiss' }
  | { kind: 'retry' }
  | { kind: 'read' }

/** Does one of them once the time to take it back is over, and tells how it goes. The list itself changes when the feed says so. */
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

/** A question is the same one on every page. */
export const keyOf = ({ id, question }: Need): string => (question === null ? id : question.id)

function moveOf(need: Need, wanted: NeedMove): Move | null {
  const { question, taskId, subagentId, sessionId } = need
  const own = { key: keyOf(need), about: need.title }
  switch (wanted.kind) {
    case 'allow':
    case 'deny':
      return question === null ? null : answerMove(question, need.title, wanted.kind, wanted.message)
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
            said: 'Trying again',
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
