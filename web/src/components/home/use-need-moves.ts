import { useMutation } from '@tanstack/react-query'
import { client } from '../../lib/api'
import type { Need } from '../../lib/needs'

/** What a person can do about a need. */
export type NeedMove =
  | { kind: 'allow' | 'deny'; message?: string }
  | { kind: 'dismiss' }
  | { kind: 'retry' }
  | { kind: 'read' }

/** Does one of them, and tells how it goes. The list itself changes when the feed says so. */
export function useNeedMoves(need: Need) {
  const { mutate, isPending, error } = useMutation({ mutationFn: (move: NeedMove) => doMove(need, move) })
  return { move: mutate, isBusy: isPending, error }
}

export type NeedMoves = ReturnType<typeof useNeedMoves>

async function doMove(need: Need, move: NeedMove): Promise<unknown> {
  const { question, taskId, subagentId, sessionId } = need
  switch (move.kind) {
    case 'allow':
    case 'deny':
      if (question === null) return undefined
      return client.questions.answer(question.id, {
        behavior: move.kind,
        ...(move.message ? { message: move.message } : {}),
      })
    case 'dismiss':
      return client.needs.dismiss({ id: need.id })
    case 'retry':
      return taskId === null ? undefined : client.tasks.retry(taskId, {})
    case 'read':
      return subagentId === null
        ? undefined
        : client.subagents.markRead(subagentId, sessionId === null ? {} : { sessionId })
  }
}
