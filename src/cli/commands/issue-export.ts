import { resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { EXIT } from '../exit-codes'
import { openTracker, SCOPE } from '../issue-call'
import { lossBy } from '../issue-loss'
import { plural } from '../measures'
import { oneLine } from '../text'
import { writeText } from '../write-text'

export const command = defineCommand({
  summary: 'Print the issues as the file has them, one JSON object a line',
  details: [
    'Lines that nobody changed are the same byte for byte; memories, headers and tombstones are there too. Writing over a file that',
    'holds issues which would be lost asks first.',
  ].join('\n'),
  options: {
    out: { kind: 'text', short: 'o', value: 'FILE', complete: 'file', help: 'write to FILE instead of stdout' },
    all: { kind: 'flag', help: 'everything; nothing is left out without it either' },
    'include-todos': { kind: 'flag', help: "with the to-dos of linked sessions, as the key 'todos' of their issues" },
    'include-tasks': { kind: 'flag', help: 'the same, in the spelling of bd' },
    yes: { kind: 'flag', short: 'y', help: "don't ask when FILE holds issues that would be lost" },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue export -o backup.jsonl', does: 'says how many issues it wrote' },
    { line: 'lode issue export', does: 'prints the lines' },
  ],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const lines = await issues.export(scope)
    const hasTodos = options['include-todos'] || options['include-tasks']
    const text = hasTodos ? await beside(lines) : lines
    const issueCount = countOf(text)
    if (options.out === undefined || options.out === '-') {
      if (context.globals.isJson) context.answer({ path: null, issueCount, text }, () => '')
      else context.io.out(text)
      return
    }
    const path = resolve(context.io.cwd, options.out)
    const lost = lossBy(path, text)
    if (lost.length > 0 && !options.yes) {
      const what = `${plural(lost.length, 'issue')} that only ${path} has: ${lost.slice(0, 5).join(', ')}`
      if (!context.io.canAsk)
        throw new AppError('conflict', `This would lose ${what}.`, {
          hint: 'Export to another file, or import that one first.',
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
      const { issueIds, todosByIssue, withTodos } = await import('../todos-in-file')
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
