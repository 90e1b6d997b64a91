import type { Answers } from '../../api/contract/operations'
import type { Context } from '../kit/context'
import { table } from '../print/table'
import { printNotices } from './issue-call'

type Statuses = Answers['issues']['statusList']

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
  printNotices(context, notices)
}
