import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { LIST_FILTER, listFilter } from '../issue-filter'
import { answerPage, LIST_PAGING, listIssues } from '../issue-page'

export const command = defineCommand({
  summary: 'Find issues by words of their id and title',
  args: [{ name: 'WORDS', help: 'what to look for, without regard to case', isRepeated: true }],
  options: {
    deep: { kind: 'flag', help: 'in descriptions, designs, notes and acceptance criteria as well' },
    ...LIST_FILTER,
    ...LIST_PAGING,
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue search login', does: 'open issues with login in the title' },
    { line: 'lode issue search leak --deep --all', does: 'in the long texts and among closed ones too' },
  ],
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    const filter = { ...scope, ...listFilter(context, options), text: args.join(' ') }
    const page = await listIssues(issues, { ...filter, ...(options.deep && { isDeep: true }) }, options)
    answerPage(context, page, 'nothing was found.')
  },
})
