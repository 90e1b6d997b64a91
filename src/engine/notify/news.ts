import type { News } from '../../domain/notify/notify'
import type { Finished, Need } from '../../domain/overview/overview'

/** What a need is to a person who is elsewhere. */
export const newsOfNeed = (need: Need): News => ({
  subject: need.id,
  event: need.kind,
  since: Date.parse(need.since),
  title: need.title,
  text: need.text,
  project: need.project,
  path: `/?need=${encodeURIComponent(need.id)}`,
  questionId: need.question?.id ?? null,
})

/** What a task that was completed is to a person who is elsewhere; nothing else that ended is news by itself. */
export const newsOfFinished = (finished: Finished): News[] =>
  finished.kind !== 'task' || finished.taskId === null || finished.outcome !== 'completed'
    ? []
    : [
        {
          subject: `finished:${finished.taskId}:${Date.parse(finished.at)}`,
          event: 'finished',
          since: Date.parse(finished.at),
          title: finished.title,
          text: finished.text ?? '',
          project: finished.project,
          path: `/tasks/${encodeURIComponent(finished.taskId)}`,
          questionId: null,
        },
      ]
