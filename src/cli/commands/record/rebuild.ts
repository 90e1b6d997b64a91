import { defineCommand } from '../../kit/command'
import { bytes, plural } from '../../print/measures'
import { progressBar } from '../../print/progress'

export const command = defineCommand({
  summary: 'Rebuild all events, sub-agents, to-dos and counts from the journals',
  details:
    'The journals hold every recorded byte; all other rows are derived from them. After an update, a rebuild can derive more.',
  examples: [
    { line: 'lode rebuild', does: 'use after an update that understands more of the transcripts' },
    { line: 'lode rebuild --json', does: 'print JSON: {files, bytes, sessions, events, malformedLines, durationMs}' },
  ],
  async run(context) {
    const client = await context.client()
    const bar = progressBar(context, 'rebuilding')
    const totals = await client.rebuild({ signal: context.signal, onProgress: bar.show }).finally(bar.clear)
    context.answer(
      totals,
      () =>
        `rebuilt ${plural(totals.sessions, 'session')} and ${plural(totals.events, 'event')} from ${plural(totals.files, 'journal')}, ` +
        `${bytes(totals.bytes)}, in ${(totals.durationMs / 1_000).toFixed(1)} s\n`,
    )
  },
})
