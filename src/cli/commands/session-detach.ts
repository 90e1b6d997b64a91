import { CLIENT_OPTIONS, clientOf } from '../attach-options'
import { defineCommand } from '../command'
import { oneLine } from '../text'
import { attachmentTable } from '../views/registry-views'

export const command = defineCommand({
  summary: 'Detach a client from a session; what comes waits for the next one',
  args: [{ name: 'ID', help: 'any id of the session' }],
  options: {
    ...CLIENT_OPTIONS,
    attachment: { kind: 'text', value: 'AT-ID', help: 'this one, whoever it is' },
  },
  examples: [
    { line: 'lode session detach 3f2a9c1e', does: 'this terminal' },
    { line: 'lode session detach 3f2a9c1e --attachment at-4k7q2m9x', does: 'one that is gone for good' },
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
