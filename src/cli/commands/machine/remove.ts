import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Take a machine out of the fleet: its access ends, and its tasks go to others',
  details: [
    'What it runs is ended. Drain it first to let that finish. The program and its service stay on that machine; remove them there',
    "with 'lode uninstall'. Its past stays in the record.",
  ].join('\n'),
  args: [{ name: 'NAME', help: "the machine's name", complete: 'machine' }],
  examples: [{ line: 'lode machine remove builder', does: 'end the access of builder at once' }],
  async run(context, { args: [name = ''] }) {
    await (await context.client()).machines.remove(name)
    context.answer({ removed: name }, () => oneLine(`removed ${name}`).concat('\n'))
  },
})
