import { DEFAULT_LANES, MAX_LANES } from '../../api/contract/reading-routes'
import { defineCommand } from '../command'
import { timelineView } from '../views/timeline-view'

export const command = defineCommand({
  summary: 'Draw when each agent of a session worked, ran tools, waited for a person and was idle',
  details: [
    'A lane is the main thread, a sub-agent or a background task, with its own tokens, cost and time. Waiting is known where',
    'the agent asked by a tool, and for what a session waits for now; a permission that was asked for counts as the tool.',
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's id, or a unique beginning of it" }],
  options: {
    lanes: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: MAX_LANES,
      help: `at most N lanes beside the main thread's: the longest and the latest (${DEFAULT_LANES})`,
    },
  },
  examples: [
    { line: 'lode session timeline 3f2a9c1e', does: 'who worked when, and what waited' },
    { line: 'lode session timeline 3f2a9c1e --json', does: 'the lanes with their segments' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    const answer = await client.sessions.timeline(id, { limit: options.lanes })
    context.answer(answer, () => timelineView(answer, context.io.columns))
  },
})
