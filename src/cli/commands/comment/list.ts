import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { block } from '../../print/text'
import { commentText } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'List the comments of an issue, oldest first',
  args: [ISSUE_ARG],
  options: SCOPE,
  examples: [{ line: 'lode comment list ld-3k9q', does: 'each comment with its author and age' }],
  keepsTodosInFile: true,
  async run(context, { args: [id = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const found = await issues.comments(id, scope)
    context.answer(found, () => block(commentText(found.comments, context.io.now())))
    printNotices(context, found.notices)
    if (found.comments.length === 0 && !context.globals.isJson) context.note('no comments.')
  },
})
