import { CLIENT_OPTIONS, clientOf } from '../attach-options'
import { defineCommand } from '../command'
import { followMessages, messageBlock } from '../follow-messages'
import { plural } from '../measures'
import { oneLine } from '../text'
import { attachmentTable } from '../views/registry-views'

export const command = defineCommand({
  summary: 'Attach to a session: see who else is there, what was missed, and what comes',
  details: [
    'A client that restarts attaches again under the same names and is the same one. What it missed is everything that nobody',
    'read or acknowledged yet, or with --after all that came later. Attaching from a second host is allowed.',
  ].join('\n'),
  args: [{ name: 'ID', help: 'any id of the session, or the address that a web client was given' }],
  options: {
    ...CLIENT_OPTIONS,
    after: {
      kind: 'number',
      value: 'SEQ',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'what came after this position, read or not',
    },
    follow: { kind: 'flag', short: 'f', help: 'stay, print what comes until Ctrl-C, then detach; needs a server' },
    ack: { kind: 'flag', help: 'acknowledge what is printed: it is offered to nobody else' },
  },
  examples: [
    { line: 'lode session attach 3f2a9c1e', does: 'what came while nobody was there' },
    { line: 'lode session attach websession-4k7q2m9x1c8z -f --ack', does: 'take what comes, as it comes' },
  ],
  async run(context, { args: [id = ''], options: { after, follow, ack, ...names } }) {
    const client = await context.client()
    const own = clientOf(names)
    const attached = await client.sessions.attach(id, { ...own, ...(after !== undefined && { after }) })
    const { address, isReattached, others, missed, hasMore, nextAfter } = attached
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer(attached, () =>
      [
        `${isReattached ? 'attached again' : 'attached'} to ${oneLine(address)} as ${oneLine(own.client)} on ${oneLine(own.host)}\n`,
        others.length === 0 ? '' : `\nalso attached\n${attachmentTable(others, view)}`,
        missed.length === 0 ? '' : `\nmissed\n${missed.map((message) => messageBlock(message, view.now)).join('\n')}`,
      ].join(''),
    )
    if (hasMore) context.note(`there is more: lode session messages ${oneLine(address)} --after ${nextAfter}`)
    else if (missed.length === 0) context.note('nothing was missed.')
    if (ack && missed.length > 0) {
      const done = await client.messages.acknowledge(
        address,
        missed.map((message) => message.id),
      )
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
