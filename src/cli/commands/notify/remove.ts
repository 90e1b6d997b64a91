import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Remove a channel; nothing is sent to it any more',
  args: [{ name: 'NAME', help: "the channel's name", complete: 'channel' }],
  examples: [{ line: 'lode notify remove phone', does: 'forget the channel and its log' }],
  async run(context, { args: [name = ''] }) {
    await (await context.client()).notify.remove(name)
    context.answer({ removed: name }, () => oneLine(`removed ${name}`).concat('\n'))
  },
})
