import { DEFAULT_TURNS, MAX_TURNS } from '../../api/contract/reading-routes'
import { defineCommand } from '../command'
import { diffView } from '../views/diff-view'

export const command = defineCommand({
  summary: 'Compare a session with its fork: what they share, then what each went on with',
  details: 'Shared are lines with the same id, which a fork copies. Only the main threads are compared.',
  args: [
    { name: 'A', help: "a session's id, or a unique beginning of it" },
    { name: 'B', help: 'the other one' },
  ],
  options: {
    turns: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_TURNS,
      help: `at most N turns of each (${DEFAULT_TURNS})`,
    },
    full: { kind: 'flag', help: 'every line of what is shown' },
  },
  examples: [
    { line: 'lode session diff 3f2a9c1e 7bd01c44', does: 'where two conversations parted' },
    {
      line: 'lode session diff 3f2a9c1e 7bd01c44 --json',
      does: 'the same as {relation, origin, shared, first, second}',
    },
  ],
  async run(context, { args: [a = '', b = ''], options }) {
    const client = await context.client()
    const answer = await client.sessions.diff(a, b, { limit: options.turns })
    context.answer(answer, () => diffView(answer, { columns: context.io.columns, isFull: options.full }))
  },
})
