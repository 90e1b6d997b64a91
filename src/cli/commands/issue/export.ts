import { resolve } from 'node:path'
import { AppError } from '../../../domain/errors'
import { openTracker, SCOPE } from '../../issues/issue-call'
import { lossBy } from '../../issues/issue-loss'
import { defineCommand } from '../../kit/command'
import { EXIT } from '../../kit/exit-codes'
import { plural } from '../../print/measures'
import { jsonLines, oneLine } from '../../print/text'
import { writeText } from '../../print/write-text'

export const command = defineCommand({
  summary: 'Print the issues in file format, one JSON object per line',
  details: [
    'Unchanged lines are identical byte for byte. The export includes memories, headers and tombstones. It asks before it overwrites a',
    'file with issues that would be lost. On a terminal, control and direction characters are shown as JSON escapes.',
  ].join('\n'),
  options: {
    out: { kind: 'text', short: 'o', value: 'FILE', complete: 'file', help: 'write to FILE instead of stdout' },
    all: { kind: 'flag', help: 'accepted for compatibility; everything is always included' },
    'include-todos': { kind: 'flag', help: "include the to-dos of linked sessions as the key 'todos' of each issue" },
    'include-tasks': { kind: 'flag', help: "same as --include-todos, in bd's spelling" },
    yes: { kind: 'flag', short: 'y', help: "don't ask before losing issues that only FILE has" },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue export -o backup.jsonl', does: 'write a file and print the number of issues' },
    { line: 'lode issue export', does: 'print the lines' },
  ],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const lines = await issues.export(scope)
    const hasTodos = options['include-todos'] || options['include-tasks']
    const text = hasTodos ? await beside(lines) : lines
    const issueCount = countOf(text)
    if (options.out === undefined || options.out === '-') {
      if (context.globals.isJson) context.answer({ path: null, issueCount, text }, () => '')
      else context.io.out(context.io.isTerminal ? jsonLines(text) : text)
      return
    }
    const path = resolve(context.io.cwd, options.out)
    const lost = lossBy(path, text)
    if (lost.length > 0 && !options.yes) {
      const what = `${plural(lost.length, 'issue')} that only ${path} has: ${lost.slice(0, 5).join(', ')}`
      if (!context.io.canAsk)
        throw new AppError('conflict', `The export would lose ${what}.`, {
          hint: 'Export to another file, or import the existing file first.',
          details: { issues: lost },
        })
      if (!/^y(es)?$/i.test(context.io.ask(`Lose ${oneLine(what)}? [y/N] `))) {
        context.note('nothing was written.')
        return EXIT.declined
      }
    }
    writeText(path, text)
    context.answer({ path, issueCount }, () => `${oneLine(path)}: ${plural(issueCount, 'issue')}\n`)
    return

    async function beside(issueLines: string): Promise<string> {
      const { issueIds, todosByIssue, withTodos } = await import('../../todos/todos-in-file')
      const { dir } = scope
      const where = dir === undefined ? {} : { dir }
      const ids = issueIds(issueLines)
      return withTodos(issueLines, await todosByIssue(await context.client(), where, (id) => ids.has(id)))
    }
  },
})

/** Lines that name an issue. */
function countOf(text: string): number {
  return text.split('\n').filter((line) => /^\s*\{/.test(line) && /"id"\s*:/.test(line)).length
}
