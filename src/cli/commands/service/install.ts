import { defineCommand } from '../../kit/command'
import { findServer } from '../../kit/connect'
import { servedWith, workerFlag } from '../../server/served'
import { serviceChangeText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Start Lodeline at each login, and now, as a service of your user',
  details: [
    'Writes a unit of systemd, an agent of launchd or a task of the Windows scheduler. It runs `lode up` for this folder, restarts',
    'it after a failure, and has the PATH of now, so that it finds the agent CLIs. Running it twice changes nothing. Run it again',
    'after a change of PATH. With --worker it runs `lode work` for a server elsewhere, whose access this machine has already',
    '(`lode worker enter`).',
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
    const { installService, ownHost, serviceState } = await import('../../../app/service/service')
    const { home } = context.config()
    const isDryRun = options['dry-run']
    const host = ownHost(context.io.env)
    const running = options.worker ? null : await findServer(home)
    const served = servedWith(context, options.worker, options.name)
    const { pid } = serviceState(home, host, served)
    const done = installService(home, host, isDryRun, served)
    context.answer(done, () => serviceChangeText(done, 'install'), { isExact: true })
    if (running !== null && running.pid !== pid)
      context.note(`a server runs already (process ${running.pid}). End it, then run 'lode service install' again.`)
  },
})
