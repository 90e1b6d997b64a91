import { resolve } from 'node:path'
import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { fileText, stdinText } from '../../issues/issue-options'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Add a comment to an issue',
  args: [
    ISSUE_ARG,
    {
      name: 'TEXT',
      help: 'the comment; several words are joined; - reads it from stdin',
      isRepeated: true,
      isOptional: true,
    },
  ],
  options: {
    author: { kind: 'text', short: 'a', value: 'NAME', help: "the comment's author (default: the caller)" },
    file: {
      kind: 'text',
      short: 'f',
      value: 'FILE',
      complete: 'file',
      help: 'read the comment from FILE; - reads stdin',
    },
    ...SCOPE,
  },
  examples: [
    { line: "lode comment add ld-3k9q 'It fails on Windows only'", does: 'add a comment' },
    { line: 'lode comment add ld-3k9q -', does: 'read the comment from stdin' },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [id = '', ...words], options }) {
    if ((options.file === undefined) === (words.length === 0))
      throw usageError(context.path)('Pass either TEXT or --file.')
    const { issues, scope } = await openTracker(context, options)
    const { file, author } = options
    const given = file === undefined ? words.join(' ') : file
    const text =
      given === '-' ? await stdinText(context) : file === undefined ? given : fileText(resolve(context.io.cwd, file))
    const commented = await issues.comment(id, { ...scope, text, ...(author !== undefined && { author }) })
    const { issue, comment } = commented
    context.answer(commented, () => `${oneLine(`${issue.id}: comment ${comment.id} by ${comment.author}`)}\n`)
    printNotices(context, commented.notices)
  },
})
