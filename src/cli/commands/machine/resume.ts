import { defineCommand } from '../../kit/command'
import { machineFields } from '../../views/machine-views'

export const command = defineCommand({
  summary: 'Give a drained machine tasks again',
  args: [{ name: 'NAME', help: "the machine's name", complete: 'machine' }],
  examples: [{ line: 'lode machine resume builder', does: 'builder takes tasks again' }],
  async run(context, { args: [name = ''] }) {
    const { agent: machine } = await (await context.client()).machines.resume(name)
    context.answer({ machine }, () => machineFields(machine, context.io.now()))
  },
})
