import { join } from 'node:path'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: "Show the newest lines of the server's log",
  details:
    'The log rotates by itself: at most four files of 10 MB. It holds prompts and answers only at level `debug`.',
  options: {
    lines: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: 10_000,
      fallback: 50,
      help: 'this many lines (default: 50)',
    },
  },
  examples: [
    { line: 'lode service logs', does: 'show the newest 50 lines' },
    { line: 'lode service logs -n 500', does: 'show more of them' },
  ],
  async run(context, { options }) {
    const { newestLines } = await import('../../../app/service/newest-lines')
    const { oneLine } = await import('../../print/text')
    const file = join(context.config().home, 'log', 'lode.log')
    const lines = newestLines(file, options.lines)
    context.answer({ file, lines }, () => lines.map((line) => `${oneLine(line)}\n`).join(''))
    if (lines.length === 0) context.note(`${file} has no lines: no server has run here yet.`)
  },
})
