import { DEFAULT_LANES, MAX_LANES } from '../../../api/contract/protocol'
import { namesClis } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { timelineView } from '../../views/session/timeline-view'

export const command = defineCommand({
  summary: 'Draw when each agent of a session worked, ran tools, waited and was idle',
  details: [
    'Each lane is the main thread, a sub-agent, a background shell or a monitor, with its tokens, cost and time. Waiting is',
    'known only if the agent asked through a tool, or the session is waiting now. Time spent on a permission prompt counts as',
    'tool time.',
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's ID, or a unique prefix of it", complete: 'session' }],
  options: {
    lanes: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: MAX_LANES,
      help: `at most N lanes beside the main thread: the longest and the latest (default ${DEFAULT_LANES})`,
    },
  },
  examples: [
    { line: 'lode session timeline 3f2a9c1e', does: 'show when each agent worked and waited' },
    { line: 'lode session timeline 3f2a9c1e --json', does: 'print the lanes and their segments as JSON' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    const answer = await client.sessions.timeline(id, { limit: options.lanes })
    const view = { columns: context.io.columns, namesClis: await namesClis(context) }
    context.answer(answer, () => timelineView(answer, view))
  },
})
