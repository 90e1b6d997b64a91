import { isMachine } from '../../../domain/agent'
import { defineCommand } from '../../kit/command'
import { machineTable } from '../../views/machine-views'

export const command = defineCommand({
  summary: 'List the machines of the fleet with what each has and runs',
  details:
    'A machine has the name of its worker. What it has is found by the worker itself; tasks may require it (`lode task create --capability`).',
  examples: [{ line: 'lode machine list', does: 'each machine with its state, cores, memory and agent CLIs' }],
  async run(context) {
    const machines = (await (await context.client()).agents.list({})).agents.filter(isMachine)
    context.answer({ machines }, () => machineTable(machines, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && machines.length === 0)
      context.note("there is no machine yet. 'lode up' makes this one the first; 'lode machine add' adds others.")
  },
})
