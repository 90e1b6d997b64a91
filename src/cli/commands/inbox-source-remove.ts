import { defineCommand } from '../command'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Take nothing more from a source; what it sent stays',
  args: [{ name: 'NAME', help: "the source's name" }],
  examples: [{ line: 'lode inbox source remove helpdesk', does: 'its secret is worth nothing any more' }],
  async run(context, { args: [name = ''] }) {
    await (await context.client()).inbox.removeSource(name)
    context.answer({ removed: name }, () => oneLine(`removed ${name}`).concat('\n'))
  },
})
