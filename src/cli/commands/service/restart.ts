import { defineCommand } from '../../kit/command'
import { workerFlag } from '../../server/served'
import { restartText, serviceStateText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Bring the service to the program that is here now, without ending a run',
  details: [
    'The server restarts at once, and runs of tasks go on meanwhile. The worker, which holds the runs, restarts at the first moment at',
    'which none is there; it takes tasks until then. `lode service status` and `lode machine list` say so. To restart it soon, let it take',
    'nothing new with `lode machine drain`. With --now it ends its runs in order, and they go on in their conversations.',
  ].join('\n'),
  options: {
    worker: workerFlag,
    now: { kind: 'flag', help: 'restart the worker now, too, and end its runs in order' },
  },
  examples: [
    { line: 'lode service restart', does: 'run the program that was brought here since' },
    { line: 'lode service restart --now', does: 'do it at once, and let runs begin again in their conversations' },
  ],
  async run(context, { options }) {
    const [{ ownHost }, { partsOf, partsState, restartParts }] = await Promise.all([
      import('../../../app/service/service'),
      import('../../../app/service/service-parts'),
    ])
    const { home } = context.config()
    const host = ownHost(context.io.env)
    const parts = partsOf(options.worker)
    const restart = restartParts(home, host, parts, options.now)
    const state = partsState(home, host, parts)
    context.answer({ ...state, restart }, () => serviceStateText(state) + restartText(restart))
  },
})
