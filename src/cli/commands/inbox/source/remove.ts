import { defineCommand } from '../../../kit/command'
import { oneLine } from '../../../print/text'

export const command = defineCommand({
  summary: 'Stop accepting requests from a source; its past requests stay',
  args: [{ name: 'NAME', help: "the source's name", complete: 'source' }],
  examples: [{ line: 'lode inbox source remove helpdesk', does: 'revoke its secret' }],
  async run(context, { args: [name = ''] }) {
    await (await context.client()).inbox.removeSource(name)
    context.answer({ removed: name }, () => oneLine(`removed ${name}`).concat('\n'))
  },
})
