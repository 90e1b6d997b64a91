import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { CLIENT_OPTIONS, clientOf } from '../../sessions/attach-options'
import { followMessages, messageBlock } from '../../tasks/follow-messages'
import { attachmentTable } from '../../views/registry-views'

export const command = defineCommand({
  summary: 'Attach to a session: list other clients and missed messages',
  details: [
    'A client that reattaches under the same names is treated as the same client. Missed messages are those that nobody has read or',
    'acknowledged yet; with --after, all messages after that position. You can attach from several hosts.',
  ].join('\n'),
  args: [{ name: 'ID', help: 'any ID of the session, or the address assigned to a web client', complete: 'session' }],
  options: {
    ...CLIENT_OPTIONS,
    after: {
      kind: 'number',
      value: 'SEQ',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'all messages after this position, read or unread',
    },
    follow: { kind: 'flag', short: 'f', help: 'print new messages until Ctrl-C, then detach; needs a server' },
    ack: { kind: 'flag', help: 'acknowledge printed messages, so that nobody else receives them' },
  },
  examples: [
    { line: 'lode session attach 3f2a9c1e', does: 'messages that arrived while no client was attached' },
    {
      line: 'lode session attach websession-4k7q2m9x1c8z -f --ack',
      does: 'receive and acknowledge messages as they arrive',
    },
  ],
  async run(context, { args: [id = ''], options: { after, follow, ack, ...names } }) {
    const client = await context.client()
    const own = clientOf(names)
    const attached = await client.sessions.attach(id, { ...own, ...(after !== undefined && { after }) })
    const { address, isReattached, others, missed, hasMore, nextAfter } = attached
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer(attached, () =>
      [
        `${isReattached ? 'reattached' : 'attached'} to ${oneLine(address)} as ${oneLine(own.client)} on ${oneLine(own.host)}\n`,
        others.length === 0 ? '' : `\nalso attached\n${attachmentTable(others, view)}`,
        missed.length === 0 ? '' : `\nmissed\n${missed.map((message) => messageBlock(message, view.now)).join('\n')}`,
      ].join(''),
    )
    if (hasMore) context.note(`there are more: lode session messages ${oneLine(address)} --after ${nextAfter}`)
    else if (missed.length === 0) context.note('no missed messages.')
    if (ack && missed.length > 0) {
      const done = await client.messages.acknowledge(address, { ids: missed.map((message) => message.id) })
      context.note(`${plural(done.messages.length, 'message')} acknowledged`)
    }
    if (!follow) return
    try {
      await followMessages(context, address, nextAfter, ack)
    } finally {
      await client.sessions.detach(address, { attachmentId: attached.attachment.id })
    }
  },
})
