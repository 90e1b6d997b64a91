import { defineCommand } from '../../kit/command'
import { findServer } from '../../kit/connect'
import { workerElsewhere, workerFlag } from '../../server/served'
import { serviceChangeText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Start Lodeline at each login, and now, as a service of your user',
  details: [
    'Writes two units of systemd, agents of launchd or tasks of the Windows scheduler: one runs the server and recorder of this folder,',
    'one the worker. They restart apart, and after a failure, so that an update of the server ends no run. They have the PATH of now,',
    'so that they find the agent CLIs. Running it twice changes nothing. Run it again after a change of PATH. With --worker it runs',
    '`lode work` for a server elsewhere, whose access this machine has already (`lode worker enter`).',
  ].join('\n'),
  options: {
    'dry-run': { kind: 'flag', help: 'show the definition and the calls without making them' },
    worker: workerFlag,
    name: { kind: 'text', value: 'NAME', help: 'with --worker: the name of the worker' },
  },
  examples: [
    { line: 'lode service install --dry-run', does: 'preview the service' },
    { line: 'lode service install', does: 'install and start it' },
    { line: 'lode service install --worker --server https://lode.example', does: 'take tasks from a server elsewhere' },
  ],
  async run(context, { options }) {
    const [{ ownHost, serviceState }, { installParts, partsOf }] = await Promise.all([
      import('../../../app/service/service'),
      import('../../../app/service/service-parts'),
    ])
    const { home } = context.config()
    const host = ownHost(context.io.env)
    const running = options.worker ? null : await findServer(home)
    const parts = options.worker ? workerElsewhere(context, options.name) : partsOf(false)
    const { pid } = serviceState(home, host, parts.main)
    const done = installParts(home, host, options['dry-run'], parts)
    context.answer(done, () => serviceChangeText(done, 'install'), { isExact: true })
    if (running !== null && running.pid !== pid)
      context.note(`a server runs already (process ${running.pid}). End it, then run 'lode service install' again.`)
  },
})
