import { resolve } from 'node:path'
import { defineCommand } from '../command'
import { ISSUE_ARG } from '../issue-call'
import { plural } from '../measures'
import { usageError } from '../parse-args'
import { oneLine } from '../text'
import { openTodos, TODO_SCOPE } from '../todo-call'
import { writeText } from '../write-text'

export const command = defineCommand({
  summary: "Print an issue's to-dos over all its sessions, one JSON object a line",
  options: {
    issue: { kind: 'text', short: 'i', value: 'ID', help: ISSUE_ARG.help },
    out: { kind: 'text', short: 'o', value: 'FILE', complete: 'file', help: 'write to FILE instead of stdout' },
    dir: TODO_SCOPE.dir,
  },
  examples: [
    { line: 'lode todo export --issue ld-3k9q -o todos.jsonl', does: 'for an audit; says how many it wrote' },
    { line: 'lode todo export --issue ld-3k9q', does: 'prints the lines' },
  ],
  async run(context, { options }) {
    const { issue, out } = options
    if (issue === undefined) throw usageError(context.path)('--issue is missing: whose to-dos are meant.')
    const { client, where } = await openTodos(context, options)
    const { sessions, isTruncated } = await client.links.ofIssue(issue, where)
    const items = sessions.flatMap(({ todos }) => todos)
    const { todoLine } = await import('../todo-line')
    const text = [...new Map(items.map((todo) => [todo.id, `${todoLine(todo)}\n`])).values()].join('')
    const todoCount = text === '' ? 0 : text.split('\n').length - 1
    if (isTruncated) context.note(`the newest ${sessions.length} sessions only.`)
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
