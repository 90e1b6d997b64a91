import { defineCommand } from '../../kit/command'
import { machineFields } from '../../views/machine-views'

export const command = defineCommand({
  summary: 'Give a machine no new tasks; what it runs goes on to its end',
  details: [
    'Tasks that were to go on there go to other machines, with their files. Tasks that you assigned to it wait. `lode machine resume`',
    'ends this.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the machine's name", complete: 'machine' }],
  examples: [{ line: 'lode machine drain builder', does: 'let builder finish what it runs, before an update' }],
  async run(context, { args: [name = ''] }) {
    const { agent: machine } = await (await context.client()).machines.drain(name)
    context.answer({ machine }, () => machineFields(machine, context.io.now()))
  },
})
