import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { plural } from '../measures'
import { oneLine } from '../text'
import { keepTodosInFile } from '../todos-in-file'
import { importText } from '../views/issue-graph'

export const command = defineCommand({
  summary: 'Read the whole file of issues again and write what it lacks',
  details: [
    'Every command keeps database and file in step by itself; this one is for doubt, and for issueFile.write: sync. Issues that the',
    'file had once and has no longer stay out of sight; --restore writes them back.',
  ].join('\n'),
  options: { restore: { kind: 'flag', help: 'write back what the file has no longer' }, ...SCOPE },
  examples: [{ line: 'lode issue sync', does: 'says what was read and written' }],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    await keepTodosInFile(context, options)
    const outcome = await issues.sync({ ...scope, ...(options.restore && { restore: true }) })
    context.answer(outcome, () => {
      const { path, written, absent } = outcome
      const gone = absent.length === 0 ? '' : `the file has no longer: ${oneLine(absent.slice(0, 20).join(', '))}\n`
      return `${oneLine(path ?? 'no file')}: ${plural(written.length, 'issue')} written\n${importText(outcome)}${gone}`
    })
    sayNotices(context, outcome.notices)
    if (outcome.absent.length > 0 && !context.globals.isJson) context.note('--restore writes them back.')
  },
})
