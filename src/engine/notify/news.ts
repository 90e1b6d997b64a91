import { type BudgetRow, budgetState, limitAt, standingInWords, type UsageLimit } from '../../domain/budget/budget'
import type { News } from '../../domain/notify/notify'
import type { Finished, Need } from '../../domain/overview/overview'

/** A need in words for a person who is elsewhere. */
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

/** A completed task in words for a person who is elsewhere; no other end is news by itself. */
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

/** A budget that is nearly used up: once in each period. One that is used up is a need. */
export const newsOfBudget = (row: BudgetRow, now: number): News[] =>
  budgetState(row, now) !== 'near'
    ? []
    : [
        {
          subject: `near:${row.name}:${row.usedUntil ?? 'ever'}:${limitAt(row, now)}`,
          event: 'budget',
          since: row.countedAt ?? now,
          title: `budget ${row.name} is nearly used up`,
          text: `${standingInWords(row, now)} is used.`,
          project: null,
          path: '/costs',
          questionId: null,
        },
      ]

/** What an agent CLI said of its provider's limit. */
export const newsOfLimit = ({ agentName, agentCli, until }: UsageLimit, now: number): News => ({
  subject: `limit:${agentName}:${agentCli ?? ''}:${until}`,
  event: 'limit',
  since: now,
  title: `${agentCli === null ? agentName : `${agentCli} of ${agentName}`} reached a usage limit`,
  text: `Its tasks wait until ${until}.`,
  project: null,
  path: '/fleet',
  questionId: null,
})
