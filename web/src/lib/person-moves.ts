import type { FeedEntry } from '#api/contract/wire'
import type { Question } from '#domain/task/task'
import { client } from './api'
import type { Move } from './live/held-moves'
import { hasPeople, whoIs } from './me'

/** A person's answer to a run's question. @param about  name of what asks */
export function answerMove(
  { id, deadline }: Pick<Question, 'id' | 'deadline'>,
  about: string,
  behavior: 'allow' | 'deny',
  words = '',
): Move {
  const message = words.trim()
  return {
    key: id,
    said: ANSWER_WORDS[behavior],
    about,
    deadline,
    send: () => client.questions.answer(id, { behavior, ...(message === '' ? {} : { message }) }),
    overtakenBy: ({ kind, data }: FeedEntry) => {
      if (kind !== 'question.updated' || data.questionId !== id || data.status === 'open') return null
      if (data.status === 'withdrawn') return 'withdrawn, because the run that asked has ended'
      const answer = data.behavior === 'allow' ? 'allowed' : 'denied'
      if (data.status === 'expired') return `${answer} because nobody answered in time`
      return typeof data.by === 'string' && hasPeople() ? `${answer} by ${whoIs(data.by)}` : `${answer} elsewhere`
    },
  }
}

/** How an answer is announced. */
const ANSWER_WORDS = { allow: 'Allowed', deny: 'Denied' } as const

/** A person lets a task begin that was made of a request from outside. @param about  its title */
export const consentMove = (taskId: string, about: string): Move => ({
  // As the need is named: the move is the same on every page.
  key: `consent:${taskId}`,
  said: 'Consented',
  about,
  send: () => client.tasks.deploy(taskId),
  overtakenBy: taskOvertaken(taskId),
})

/** Tells whether somebody else changed the task's status in the meantime. */
export const taskOvertaken =
  (taskId: string): NonNullable<Move['overtakenBy']> =>
  ({ kind, data }: FeedEntry) =>
    kind === 'task.moved' && data.taskId === taskId ? 'changed elsewhere' : null
