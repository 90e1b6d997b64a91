import { AppError } from '../../domain/errors'
import { AGENT_CLI, checkAgentCli } from '../kit/arguments/agent-cli'
import { defineCommand } from '../kit/command'
import { connectServer } from '../kit/connect'

export const command = defineCommand({
  summary: 'Watch what needs you, what runs and the last conversations on a live screen, and act there',
  details: [
    'Keys: up and down (or k and j) move, a allows and d denies a question, x dismisses what needs you, o opens the row in the',
    'dashboard, m writes a message to its task or session, q leaves. Before a key changes something, you are asked. Your answer',
    "counts only after the row has stood still for a moment, so that a held key or a moving list can't answer for you.",
  ].join('\n'),
  options: { agent: AGENT_CLI },
  hasJson: false,
  examples: [
    { line: 'lode top', does: 'watch until q' },
    { line: 'lode top --agent codex', does: 'only what is of Codex' },
  ],
  async run(context, { options }) {
    const { io } = context
    if (!io.isTerminal || !io.canAsk || !io.isInTerminal)
      throw new AppError('invalid', 'This needs a terminal.', { hint: "'lode status' prints the same anywhere." })
    const server = await connectServer(context)
    if (server === null)
      throw new AppError('unavailable', 'No server is running here, so there is nothing to watch.', {
        hint: "Start one with 'lode up'. 'lode status' reads the record without one.",
      })
    const { runTop } = await import('../top/run-top')
    await runTop(context, server, await checkAgentCli(server.client, options.agent))
    return undefined
  },
})
