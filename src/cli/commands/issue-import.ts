import { resolve } from 'node:path'
import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { fileText, stdinText } from '../issue-options'
import { importText } from '../views/issue-graph'

/** Bytes of a file that is sent along: beyond that a server takes no request. */
const SENT_BYTES = 8_000_000

export const command = defineCommand({
  summary: 'Take issues of another file over, of any era; never deletes',
  details: 'An issue that is older there than here is left alone. Broken lines are named and passed over.',
  args: [{ name: 'FILE', help: 'a file of issues; - reads it from stdin', complete: 'file' }],
  options: { 'dry-run': { kind: 'flag', help: 'only say what would be new or changed' }, ...SCOPE },
  examples: [
    { line: 'lode issue import ../other/.beads/issues.jsonl', does: 'adds what is new, updates what is newer there' },
    { line: 'lode issue import - --dry-run', does: 'what stands on stdin would change' },
  ],
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
    sayNotices(context, outcome.notices)
  },
})
