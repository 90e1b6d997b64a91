import { defineCommand } from '../../kit/command'
import { workerFlag } from '../../server/served'
import { serviceChangeText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'End the service and remove all of it',
  details: 'Your record stays. Runs of tasks are ended in order, and go on when a server runs again.',
  options: {
    'dry-run': { kind: 'flag', help: 'show what would be removed without removing it' },
    worker: workerFlag,
  },
  examples: [{ line: 'lode service remove', does: 'end and remove the service' }],
  async run(context, { options }) {
    const [{ ownHost }, { partsOf, removeParts }] = await Promise.all([
      import('../../../app/service/service'),
      import('../../../app/service/service-parts'),
    ])
    const { home } = context.config()
    const done = removeParts(home, ownHost(context.io.env), options['dry-run'], partsOf(options.worker))
    context.answer(done, () => serviceChangeText(done, 'remove'))
  },
})
