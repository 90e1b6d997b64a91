import { resolve } from 'node:path'
import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { fileText, stdinText } from '../../issues/issue-options'
import { defineCommand } from '../../kit/command'
import { importText } from '../../views/issue-graph'

/** Bytes of a file that is sent along: beyond that a server takes no request. */
const SENT_BYTES = 8_000_000

export const command = defineCommand({
  summary: 'Import issues from another file, in any format version; never deletes',
  details: 'Skips an issue that is newer here than in the file. Reports and skips malformed lines.',
  args: [{ name: 'FILE', help: 'a file of issues; - reads it from stdin', complete: 'file' }],
  options: { 'dry-run': { kind: 'flag', help: 'show what would change without importing' }, ...SCOPE },
  examples: [
    { line: 'lode issue import ../other/.beads/issues.jsonl', does: 'add new issues and update older ones' },
    { line: 'lode issue import - --dry-run', does: 'preview an import from stdin' },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [file = ''], options }) {
    const { issues, scope, isRemote } = await openTracker(context, options)
    const isLocal = file !== '-' && !isRemote
    const from = isLocal
      ? { path: resolve(context.io.cwd, file) }
      : {
          text:
            file === '-' ? await stdinText(context, SENT_BYTES) : fileText(resolve(context.io.cwd, file), SENT_BYTES),
        }
    const outcome = await issues.import({ ...scope, ...from, ...(options['dry-run'] && { dryRun: true }) })
    context.answer(outcome, () => importText(outcome))
    printNotices(context, outcome.notices)
  },
})
