import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { LIST_LIMIT, requestLimit } from '../../issues/issue-page'
import { defineCommand } from '../../kit/command'
import { blockedTable } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'List blocked issues with their blockers',
  options: {
    ...LIST_LIMIT,
    ...SCOPE,
  },
  examples: [{ line: 'lode issue blocked', does: 'each blocked issue with the issues it waits for' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const page = { ...(await issues.blocked({ ...scope, limit: requestLimit(options.limit) })), nextCursor: null }
    const { io } = context
    context.answer(page, () => blockedTable(page.issues, { now: io.now(), columns: io.columns }))
    if (context.globals.isJson) return
    printNotices(context, page.notices)
    if (page.issues.length === 0) context.note('no blocked issues.')
    if (page.isTruncated) context.note(`showing ${page.issues.length} of ${page.total}; use -n 0 to show all.`)
  },
})
