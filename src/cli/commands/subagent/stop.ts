import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { SUBAGENT_SESSION } from '../../sessions/subagent-session'

export const command = defineCommand({
  summary: 'Stop a background shell and its child processes',
  details: [
    'Stops the process that writes to the output file, and only if that process is known for certain and runs on this machine. A',
    "sub-agent has no process of its own: it runs inside its session's CLI. Stop it there.",
  ].join('\n'),
  args: [{ name: 'ID', help: 'its ID, or a unique prefix of at least 4 characters', complete: 'subagent' }],
  options: { session: SUBAGENT_SESSION },
  examples: [{ line: 'lode subagent stop b5hubohil', does: 'stop the shell' }],
  async run(context, { args: [id = ''], options: { session } }) {
    const client = await context.client()
    const stopped = await client.subagents.stop(id, session === undefined ? {} : { sessionId: session })
    context.answer(stopped, () =>
      stopped.isStopped
        ? `${oneLine(stopped.id)} was stopped (process ${stopped.processId})\n`
        : `${oneLine(stopped.id)} had already ended\n`,
    )
  },
})
