import { openTracker, SCOPE } from '../../issues/issue-call'
import { LIST_FILTER, listFilter } from '../../issues/issue-filter'
import { answerPage, LIST_PAGING, listIssues } from '../../issues/issue-page'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: 'List issues, by priority and newest first',
  options: { ...LIST_FILTER, ...LIST_PAGING, ...SCOPE },
  examples: [
    { line: 'lode issue list', does: 'the first 50 unfinished issues' },
    { line: 'lode issue list -s open,in_progress -t bug -p P1', does: 'bugs of priority 1' },
    {
      line: 'lode issue list --all -n 0 --json',
      does: 'every issue as JSON: {issues, total, isTruncated, nextCursor, notices}',
    },
  ],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const page = await listIssues(issues, { ...scope, ...listFilter(context, options) }, options)
    answerPage(context, page, "no issues. Create one with 'lode issue create TITLE'.")
  },
})
