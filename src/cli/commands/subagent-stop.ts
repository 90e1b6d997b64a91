import { defineCommand } from '../command'
import { SUBAGENT_SESSION } from '../subagent-session'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'End a background shell with all that it started',
  details: [
    'Only where it is certain which process it is: the one that writes to its output file, on this machine. A sub-agent has no process',
    "of its own; it runs inside its session's CLI and is stopped there.",
  ].join('\n'),
  args: [{ name: 'ID', help: 'its id, or a unique beginning of 4 characters or more' }],
  options: { session: SUBAGENT_SESSION },
  examples: [{ line: 'lode subagent stop b5hubohil', does: 'end it' }],
  async run(context, { args: [id = ''], options: { session } }) {
    const client = await context.client()
    const stopped = await client.subagents.stop(id, session === undefined ? {} : { sessionId: session })
    context.answer(stopped, () =>
      stopped.isStopped
        ? `${oneLine(stopped.id)} is ended (process ${stopped.processId})\n`
        : `${oneLine(stopped.id)} had ended already\n`,
    )
  },
})
