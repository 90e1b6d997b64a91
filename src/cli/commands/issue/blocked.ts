import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { MAX_ISSUES_PER_REQUEST } from '../../issues/issue-page'
import { defineCommand } from '../../kit/command'
import { blockedTable } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'List blocked issues with their blockers',
  options: {
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 0,
      max: MAX_ISSUES_PER_REQUEST,
      fallback: 100,
      help: 'show at most N issues; 0 = all',
    },
    ...SCOPE,
  },
  examples: [{ line: 'lode issue blocked', does: 'each blocked issue with the issues it waits for' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const limit = options.limit === 0 ? MAX_ISSUES_PER_REQUEST : options.limit
    const page = { ...(await issues.blocked({ ...scope, limit })), nextCursor: null }
    const { io } = context
    context.answer(page, () => blockedTable(page.issues, { now: io.now(), columns: io.columns }))
    if (context.globals.isJson) return
    printNotices(context, page.notices)
    if (page.issues.length === 0) context.note('no blocked issues.')
    if (page.isTruncated) context.note(`showing ${page.issues.length} of ${page.total}; use -n 0 to show all.`)
  },
})
