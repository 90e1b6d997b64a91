import { resolve } from 'node:path'
import { defineCommand } from '../command'
import { ISSUE_ARG, openTracker, SCOPE, sayNotices } from '../issue-call'
import { fileText, stdinText } from '../issue-options'
import { usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Comment an issue',
  args: [
    ISSUE_ARG,
    {
      name: 'TEXT',
      help: 'the comment, several words are joined; - reads it from stdin',
      isRepeated: true,
      isOptional: true,
    },
  ],
  options: {
    author: { kind: 'text', short: 'a', value: 'NAME', help: 'who says it (default: who acts)' },
    file: { kind: 'text', short: 'f', value: 'FILE', complete: 'file', help: 'the comment from a file; - = stdin' },
    ...SCOPE,
  },
  examples: [
    { line: "lode comment add ld-3k9q 'It fails on Windows only'", does: 'kept with the issue' },
    { line: 'lode comment add ld-3k9q -', does: 'what stands on stdin' },
  ],
  async run(context, { args: [id = '', ...words], options }) {
    if ((options.file === undefined) === (words.length === 0)) throw usageError(context.path)('Give TEXT or --file.')
    const { issues, scope } = await openTracker(context, options)
    const { file, author } = options
    const given = file === undefined ? words.join(' ') : file
    const text =
      given === '-' ? await stdinText(context) : file === undefined ? given : fileText(resolve(context.io.cwd, file))
    const commented = await issues.comment(id, { ...scope, text, ...(author !== undefined && { author }) })
    const { issue, comment } = commented
    context.answer(commented, () => `${oneLine(`${issue.id}: comment ${comment.id} by ${comment.author}`)}\n`)
    sayNotices(context, commented.notices)
  },
})
