import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { EVERY } from '../issue-page'
import { blockedTable } from '../views/issue-views'

export const command = defineCommand({
  summary: 'List issues that are held up, with what holds them up',
  options: {
    limit: { kind: 'number', short: 'n', value: 'N', min: 0, max: EVERY, fallback: 100, help: 'at most N; 0 = all' },
    ...SCOPE,
  },
  examples: [{ line: 'lode issue blocked', does: 'each with the issues that it waits for' }],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const limit = options.limit === 0 ? EVERY : options.limit
    const page = { ...(await issues.blocked({ ...scope, limit })), nextCursor: null }
    const { io } = context
    context.answer(page, () => blockedTable(page.issues, { now: io.now(), columns: io.columns }))
    if (context.globals.isJson) return
    sayNotices(context, page.notices)
    if (page.issues.length === 0) context.note('nothing is blocked.')
    if (page.isTruncated) context.note(`${page.issues.length} of ${page.total}: -n 0 shows all.`)
  },
})
