import type { Client } from '../../api/client'
import type { Answers, Inputs } from '../../api/contract/operations'
import { ISSUE_ORDERS } from '../../domain/issue/issue-store'
import type { OptionSpecs, OptionValues } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { oneLine } from '../print/text'
import { issueTable } from '../views/issue-views'
import { printNotices } from './issue-call'

/** The most that one request gives. */
export const MAX_ISSUES_PER_REQUEST = 100_000

/** How much of a list is shown. */
const limitOption = <const N extends number>(fallback: N) =>
  ({
    kind: 'number',
    short: 'n',
    value: 'N',
    min: 0,
    max: MAX_ISSUES_PER_REQUEST,
    fallback,
    help: 'show at most N issues; 0 = all',
  }) as const

/** The option of lists that have no pages. */
export const LIST_LIMIT = { limit: limitOption(100) } as const satisfies OptionSpecs

export const requestLimit = (limit: number): number => (limit === 0 ? MAX_ISSUES_PER_REQUEST : limit)

/** How much of a list is shown, and in which order. */
export const LIST_PAGING = {
  limit: limitOption(50),
  cursor: { kind: 'text', value: 'CURSOR', help: 'continue after a previous page: its nextCursor' },
  sort: { kind: 'text', value: 'ORDER', choices: ISSUE_ORDERS, help: `${ISSUE_ORDERS.join(', ')} (default priority)` },
  reverse: { kind: 'flag', short: 'r', help: 'reverse the order' },
} as const satisfies OptionSpecs

type IssuePage = Answers['issues']['list']

/** One page, or with `--limit 0` all pages as one. */
export async function listIssues(
  issues: Client['issues'],
  filter: Inputs['issues']['list'],
  { limit, cursor, sort, reverse }: OptionValues<typeof LIST_PAGING>,
): Promise<IssuePage> {
  const page = (after: string | undefined) =>
    issues.list({
      ...filter,
      limit: requestLimit(limit),
      ...(after !== undefined && { cursor: after }),
      ...(sort !== undefined && { order: sort }),
      ...(reverse && { isReversed: true }),
    })
  const first = await page(cursor)
  let last = first
  while (limit === 0 && last.nextCursor !== null) {
    last = await page(last.nextCursor)
    for (const issue of last.issues) first.issues.push(issue)
  }
  return { ...first, isTruncated: last.isTruncated, nextCursor: last.nextCursor }
}

/** Answers with a page; what was left out is in the payload, and for a person on stderr. */
export function answerPage(context: Context, page: IssuePage, none: string): void {
  const { io, globals } = context
  context.answer(page, () => issueTable(page.issues, { now: io.now(), columns: io.columns }))
  if (globals.isJson) return
  printNotices(context, page.notices)
  if (page.issues.length === 0) context.note(none)
  if (page.nextCursor !== null)
    context.note(
      `showing ${page.issues.length} of ${page.total}; use -n 0 to show all, or --cursor ${oneLine(page.nextCursor)}`,
    )
}
