import type { FeedEntry } from '../../../src/api/contract/wire'
import type { Question } from '../../../src/domain/task'
import { client } from './api'
import type { Move } from './held-moves'

/** A person's answer to a question of a run. @param about  the name of what asks */
export function answerMove(
  { id, deadline }: Pick<Question, 'id' | 'deadline'>,
  about: string,
  behavior: 'allow' | 'deny',
  words = '',
): Move {
  const message = words.trim()
  return {
    key: id,
    said: PAST[behavior],
    about,
    deadline,
    send: () => client.questions.answer(id, { behavior, ...(message === '' ? {} : { message }) }),
    overtakenBy: ({ kind, data }: FeedEntry) => {
      if (kind !== 'question.updated' || data.questionId !== id || data.status === 'open') return null
      if (data.status === 'withdrawn') return 'withdrawn: the run that asked has ended'
      const answer = data.behavior === 'allow' ? 'allowed' : 'denied'
      return data.status === 'expired' ? `${answer}, because its time was over` : `${answer} elsewhere`
    },
  }
}

const PAST = { allow: 'Allowed', deny: 'Denied' } as const

/** Whether somebody else moved the task meanwhile. */
export const taskOvertaken =
  (taskId: string): NonNullable<Move['overtakenBy']> =>
  ({ kind, data }: FeedEntry) =>
    kind === 'task.moved' && data.taskId === taskId ? 'moved elsewhere' : null
