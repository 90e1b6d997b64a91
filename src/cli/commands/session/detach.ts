import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { CLIENT_OPTIONS, clientOf } from '../../sessions/attach-options'
import { attachmentTable } from '../../views/registry-views'

export const command = defineCommand({
  summary: 'Detach a client from a session; new messages wait for the next client',
  args: [{ name: 'ID', help: 'any ID of the session', complete: 'session' }],
  options: {
    ...CLIENT_OPTIONS,
    attachment: { kind: 'text', value: 'AT-ID', help: 'the attachment to remove, whichever client it belongs to' },
  },
  examples: [
    { line: 'lode session detach 3f2a9c1e', does: 'detach this terminal' },
    { line: 'lode session detach 3f2a9c1e --attachment at-4k7q2m9x', does: 'detach a client that will not come back' },
  ],
  async run(context, { args: [id = ''], options: { attachment, ...names } }) {
    const client = await context.client()
    const which = attachment === undefined ? clientOf(names) : { attachmentId: attachment }
    const detached = await client.sessions.detach(id, which)
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer(detached, () =>
      detached.others.length === 0
        ? `detached from ${oneLine(detached.address)}; nobody else is attached\n`
        : `detached from ${oneLine(detached.address)}\n\nstill attached\n${attachmentTable(detached.others, view)}`,
    )
  },
})
