import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { keepTodosInFile } from '../../todos/todos-in-file'
import { importText } from '../../views/issue-graph'

export const command = defineCommand({
  summary: 'Reread the whole issue file and write missing issues to it',
  details: [
    'Every command keeps the database and the file in sync. Use this one if in doubt, or with issueFile.write: sync. Issues that were',
    'removed from the file stay hidden; --restore writes them back.',
  ].join('\n'),
  options: { restore: { kind: 'flag', help: 'write back issues that were removed from the file' }, ...SCOPE },
  examples: [{ line: 'lode issue sync', does: 'sync and report what was read and written' }],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    await keepTodosInFile(context, options)
    const outcome = await issues.sync({ ...scope, ...(options.restore && { restore: true }) })
    context.answer(outcome, () => {
      const { path, written, absent } = outcome
      const gone = absent.length === 0 ? '' : `removed from the file: ${oneLine(absent.slice(0, 20).join(', '))}\n`
      return `${oneLine(path ?? 'no file')}: ${plural(written.length, 'issue')} written\n${importText(outcome)}${gone}`
    })
    printNotices(context, outcome.notices)
    if (outcome.absent.length > 0 && !context.globals.isJson) context.note('use --restore to write them back.')
  },
})
