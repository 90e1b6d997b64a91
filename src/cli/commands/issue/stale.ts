import { staleIssues } from '../../../domain/issue/issue-hygiene'
import { openTracker, SCOPE, sayNotices } from '../../issues/issue-call'
import { defined, listOf } from '../../issues/issue-options'
import { listIssues, MAX_ISSUES_PER_REQUEST } from '../../issues/issue-page'
import { defineCommand } from '../../kit/command'
import { issueTable } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'List unfinished issues that have not changed for a long time',
  details: 'Leaves out deferred and pinned issues.',
  options: {
    days: {
      kind: 'number',
      short: 'd',
      value: 'N',
      min: 1,
      max: 36_500,
      fallback: 30,
      help: 'only issues unchanged for at least N days',
    },
    status: { kind: 'text', short: 's', value: 'STATUS', isRepeated: true, help: 'only issues with this status' },
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 0,
      max: MAX_ISSUES_PER_REQUEST,
      fallback: 50,
      help: 'show at most N issues; 0 = all',
    },
    ...SCOPE,
  },
  examples: [{ line: 'lode issue stale --days 14', does: 'issues unchanged for 14 days, oldest change first' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const { io } = context
    const nowMs = io.now()
    const filter = {
      ...scope,
      ...defined({ statuses: listOf(options.status) }),
      updatedBefore: new Date(nowMs - options.days * 86_400_000).toISOString(),
    }
    const old = await listIssues(issues, filter, { limit: 0, cursor: undefined, sort: undefined, reverse: false })
    const stale = staleIssues(old.issues, { days: options.days, nowMs })
    const shown = options.limit === 0 ? stale : stale.slice(0, options.limit)
    const page = {
      issues: shown,
      total: stale.length,
      isTruncated: shown.length < stale.length,
      nextCursor: null,
      notices: old.notices,
    }
    context.answer(page, () => issueTable(shown, { now: nowMs, columns: io.columns }))
    if (context.globals.isJson) return
    sayNotices(context, page.notices)
    if (shown.length === 0) context.note('no stale issues.')
    if (page.isTruncated) context.note(`showing ${shown.length} of ${page.total}; use -n 0 to show all.`)
  },
})
