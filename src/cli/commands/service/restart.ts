import { defineCommand } from '../../kit/command'
import { servedOf, workerFlag } from '../../server/served'
import { serviceStateText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'End the service in order and start it with the program that is here now',
  details: 'Runs of tasks are paused, and go on in their conversations.',
  options: { worker: workerFlag },
  examples: [{ line: 'lode service restart', does: 'run the program that was brought here since' }],
  async run(context, { options }) {
    const { ownHost, restartService, serviceState } = await import('../../../app/service/service')
    const { home } = context.config()
    const host = ownHost(context.io.env)
    const served = servedOf(options.worker)
    restartService(home, host, served)
    const state = serviceState(home, host, served)
    context.answer(state, () => serviceStateText(state))
  },
})
