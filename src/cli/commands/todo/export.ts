import { resolve } from 'node:path'
import { ISSUE_ARG } from '../../issues/issue-call'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { writeText } from '../../print/write-text'
import { openTodos, TODO_SCOPE } from '../../todos/todo-call'

export const command = defineCommand({
  summary: "Print an issue's to-dos of all its sessions, one JSON object per line",
  options: {
    issue: { kind: 'text', short: 'i', value: 'ID', complete: 'issue', help: ISSUE_ARG.help },
    out: { kind: 'text', short: 'o', value: 'FILE', complete: 'file', help: 'write to FILE instead of stdout' },
    dir: TODO_SCOPE.dir,
  },
  examples: [
    {
      line: 'lode todo export --issue ld-3k9q -o todos.jsonl',
      does: 'write the to-dos to a file and print their number',
    },
    { line: 'lode todo export --issue ld-3k9q', does: 'print the lines' },
  ],
  async run(context, { options }) {
    const { issue, out } = options
    if (issue === undefined) throw usageError(context.path)('Missing --issue ID: name the issue to export.')
    const { client, where } = await openTodos(context, options)
    const { sessions, isTruncated } = await client.links.ofIssue(issue, where)
    const items = sessions.flatMap(({ todos }) => todos)
    const { todoLine } = await import('../../todos/todo-line')
    const text = [...new Map(items.map((todo) => [todo.id, `${todoLine(todo)}\n`])).values()].join('')
    const todoCount = text === '' ? 0 : text.split('\n').length - 1
    if (isTruncated) context.note(`only the newest ${sessions.length} sessions are included.`)
    if (out === undefined || out === '-') {
      if (context.globals.isJson) context.answer({ path: null, todoCount, isTruncated, text }, () => '')
      else context.io.out(text)
      return
    }
    const path = resolve(context.io.cwd, out)
    writeText(path, text, 0o600)
    context.answer({ path, todoCount, isTruncated }, () => `${oneLine(path)}: ${plural(todoCount, 'to-do')}\n`)
  },
})
