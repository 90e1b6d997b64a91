import { DEFAULT_TURNS, MAX_TURNS } from '../../../api/contract/protocol'
import { defineCommand } from '../../kit/command'
import { diffView } from '../../views/session/diff-view'

export const command = defineCommand({
  summary: 'Compare a session with its fork: shared turns, then the turns of each',
  details: 'A fork copies lines with their IDs; lines with equal IDs are shared. Compares only the main threads.',
  args: [
    { name: 'A', help: "a session's ID, or a unique prefix of it", complete: 'session' },
    { name: 'B', help: 'the other session', complete: 'session' },
  ],
  options: {
    turns: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_TURNS,
      help: `show at most N turns of each (default ${DEFAULT_TURNS})`,
    },
    full: { kind: 'flag', help: 'show complete texts' },
  },
  examples: [
    { line: 'lode session diff 3f2a9c1e 7bd01c44', does: 'show where two conversations diverged' },
    {
      line: 'lode session diff 3f2a9c1e 7bd01c44 --json',
      does: 'print JSON: {relation, origin, shared, first, second}',
    },
  ],
  async run(context, { args: [a = '', b = ''], options }) {
    const client = await context.client()
    const answer = await client.sessions.diff(a, b, { limit: options.turns })
    context.answer(answer, () => diffView(answer, { columns: context.io.columns, isFull: options.full }))
  },
})
