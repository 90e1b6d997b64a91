import { openTracker, SCOPE } from '../../issues/issue-call'
import { LIST_FILTER, listFilter } from '../../issues/issue-filter'
import { answerPage, LIST_PAGING, listIssues } from '../../issues/issue-page'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: 'Search issues by words in their ID and title',
  args: [{ name: 'WORDS', help: 'words to search for; case is ignored', isRepeated: true }],
  options: {
    deep: { kind: 'flag', help: 'also search descriptions, designs, notes and acceptance criteria' },
    ...LIST_FILTER,
    ...LIST_PAGING,
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue search login', does: 'unfinished issues with login in the title or ID' },
    { line: 'lode issue search leak --deep --all', does: 'also search long texts and closed issues' },
  ],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    const filter = { ...scope, ...listFilter(context, options), text: args.join(' ') }
    const page = await listIssues(issues, { ...filter, ...(options.deep && { isDeep: true }) }, options)
    answerPage(context, page, 'no issues found.')
  },
})
