import { defineCommand } from '../command'
import { bytes, plural } from '../measures'
import { progressBar } from '../progress'

export const command = defineCommand({
  summary: 'Derive every event, sub-agent, to-do and count again from the journals',
  details:
    'The journals hold every byte that was recorded; the rest follows from them. Gives the same rows, or better ones after an update.',
  examples: [
    { line: 'lode rebuild', does: 'after an update that reads more out of transcripts' },
    { line: 'lode rebuild --json', does: 'totals as {files, bytes, sessions, events, malformedLines, durationMs}' },
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
