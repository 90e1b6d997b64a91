import { exitCodeOf } from '../../../api/contract/error-codes'
import { defineCommand } from '../../kit/command'
import { workerFlag } from '../../server/served'
import { serviceStateText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Show whether the service is installed and runs; exit with 3 if it is not installed',
  options: { worker: workerFlag },
  examples: [{ line: 'lode service status', does: 'show the state of the service' }],
  async run(context, { options }) {
    const [{ ownHost }, { partsOf, partsState }] = await Promise.all([
      import('../../../app/service/service'),
      import('../../../app/service/service-parts'),
    ])
    const state = partsState(context.config().home, ownHost(context.io.env), partsOf(options.worker))
    context.answer(state, () => serviceStateText(state))
    return state.isInstalled ? undefined : exitCodeOf('not_found')
  },
})
