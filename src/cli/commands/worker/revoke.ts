import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'End the access of an enrolled worker, with its attempts',
  details: 'Its tasks go to other workers. What the worker does from now on is refused.',
  args: [{ name: 'NAME', help: "the worker's name", complete: 'worker' }],
  examples: [{ line: 'lode worker revoke builder', does: 'end the access of builder at once' }],
  async run(context, { args: [name = ''] }) {
    await (await context.client()).workers.revoke(name)
    context.answer({ revoked: name }, () => oneLine(`revoked ${name}`).concat('\n'))
  },
})
