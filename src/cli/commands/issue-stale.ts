import { staleIssues } from '../../domain/issue-hygiene'
import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { defined, listOf } from '../issue-options'
import { EVERY, listIssues } from '../issue-page'
import { issueTable } from '../views/issue-views'

export const command = defineCommand({
  summary: 'List issues that are not done and that nobody changed for long',
  details: 'Deferred and pinned ones are left out: they lie still on purpose.',
  options: {
    days: {
      kind: 'number',
      short: 'd',
      value: 'N',
      min: 1,
      max: 36_500,
      fallback: 30,
      help: 'not changed for so long',
    },
    status: { kind: 'text', short: 's', value: 'STATUS', isRepeated: true, help: 'only these statuses' },
    limit: { kind: 'number', short: 'n', value: 'N', min: 0, max: EVERY, fallback: 50, help: 'at most N; 0 = all' },
    ...SCOPE,
  },
  examples: [{ line: 'lode issue stale --days 14', does: 'the longest untouched first' }],
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
    if (shown.length === 0) context.note('nothing is stale.')
    if (page.isTruncated) context.note(`${shown.length} of ${page.total}: -n 0 shows all.`)
  },
})
