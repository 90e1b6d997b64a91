import { defineCommand } from '../../kit/command'
import { channelTable } from '../../views/notify-views'

export const command = defineCommand({
  summary: 'List the channels that Lodeline notifies',
  examples: [{ line: 'lode notify list', does: 'each channel, what it reports, and when' }],
  async run(context) {
    const answer = await (await context.client()).notify.list()
    context.answer(answer, () => channelTable(answer.channels, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && answer.channels.length === 0)
      context.note("no channels. Add one with 'lode notify add KIND NAME TARGET'.")
  },
})
