import { command as add } from '../commands/comment/add'
import { command as list } from '../commands/comment/list'
import { openTracker, SCOPE } from '../issues/issue-call'
import { defineCommand } from '../kit/command'
import { bdComments, SCHEMA_VERSION } from './shapes'
import { asBd } from './verb'

const { file, author } = add.options ?? {}

/** `bd comments ID` lists, `bd comments add ID TEXT` adds. */
export const command = asBd(
  'lode bd comments',
  defineCommand({
    summary: 'List the comments of an issue, or add one',
    args: [
      { name: 'ID', help: "the issue ID; or 'add', followed by the issue ID and the text" },
      { name: 'TEXT', help: "after 'add': the issue ID and the comment", isRepeated: true, isOptional: true },
    ],
    options: { ...SCOPE, ...(file && { file }), ...(author && { author }) },
    examples: [
      { line: 'lode bd comments ld-3k9q', does: 'list the comments, oldest first' },
      { line: "lode bd comments add ld-3k9q 'It fails on Windows only'", does: 'add a comment to the issue' },
    ],
    keepsTodosInFile: true,
    run(context, input) {
      const [first = '', ...rest] = input.args
      return first === 'add'
        ? add.run(context, { ...input, args: rest } as never)
        : list.run(context, { ...input, args: [first] } as never)
    },
  }),
  async (answer: { comments: never } | { issue: { id: string }; comment: never }, context, { args, options }) => {
    if ('comment' in answer) return { ...bdComments(answer.issue.id, [answer.comment])[0], ...SCHEMA_VERSION }
    const { issues, scope } = await openTracker(context, options as unknown as Parameters<typeof openTracker>[1])
    const { issue } = await issues.get(args[0] ?? '', scope)
    return bdComments(issue.id, answer.comments)
  },
)
