import { useMutation } from '@tanstack/react-query'
import { client } from '../../lib/api'
import type { Need } from '../../lib/needs'

/** What a person can do about a need, and what came of it. The list itself changes when the feed says so. */
export function useNeedMoves(need: Need) {
  const answer = useMutation({
    mutationFn: async ({ behavior, message }: { behavior: 'allow' | 'deny'; message?: string }) => {
      if (need.question === null) return
      await client.questions.answer(need.question.id, { behavior, ...(message ? { message } : {}) })
    },
  })
  const dismiss = useMutation({ mutationFn: () => client.needs.dismiss({ id: need.id }) })
  const retry = useMutation({
    mutationFn: async () => {
      if (need.taskId !== null) await client.tasks.retry(need.taskId, {})
    },
  })
  const markRead = useMutation({
    mutationFn: async () => {
      if (need.subagentId === null) return
      await client.subagents.markRead(need.subagentId, need.sessionId === null ? {} : { sessionId: need.sessionId })
    },
  })
  const all = [answer, dismiss, retry, markRead]
  return {
    answer,
    dismiss,
    retry,
    markRead,
    isBusy: all.some(({ isPending }) => isPending),
    error: all.find(({ error }) => error !== null)?.error ?? null,
  }
}

export type NeedMoves = ReturnType<typeof useNeedMoves>
