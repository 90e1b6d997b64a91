import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { LIST_FILTER, listFilter } from '../issue-filter'
import { answerPage, LIST_PAGING, listIssues } from '../issue-page'

export const command = defineCommand({
  summary: 'List issues, by priority and newest first',
  options: { ...LIST_FILTER, ...LIST_PAGING, ...SCOPE },
  examples: [
    { line: 'lode issue list', does: 'the first 50 that are not done' },
    { line: 'lode issue list -s open,in_progress -t bug -p P1', does: 'bugs of priority 1' },
    {
      line: 'lode issue list --all -n 0 --json',
      does: 'every issue, as {issues, total, isTruncated, nextCursor, notices}',
    },
  ],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const page = await listIssues(issues, { ...scope, ...listFilter(context, options) }, options)
    answerPage(context, page, "no issues. 'lode issue create TITLE' makes one.")
  },
})
