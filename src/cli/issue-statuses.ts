import type { ResponseOf } from '../api/contract/responses'
import type { Context } from './context'
import { sayNotices } from './issue-call'
import { table } from './table'

type Statuses = ResponseOf<'issues.statusList'>

/** Answers with every status that there is. */
export function answerStatuses(context: Context, { statuses, notices }: Statuses): void {
  context.answer({ statuses, notices }, () =>
    table(
      statuses,
      [
        { title: 'STATUS', cell: (s) => s.name },
        { title: 'COUNTS AS', cell: (s) => s.category },
        { title: 'ISSUES', cell: (s) => String(s.count), align: 'right' },
        { title: 'FROM', cell: (s) => (s.isBuiltIn ? 'built in' : 'this tracker') },
      ],
      context.io.columns,
    ),
  )
  sayNotices(context, notices)
}
