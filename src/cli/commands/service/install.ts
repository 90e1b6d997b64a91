import { defineCommand } from '../../kit/command'
import { findServer } from '../../kit/connect'
import { serviceChangeText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Start Lodeline at each login, and now, as a service of your user',
  details: [
    'Writes a unit of systemd, an agent of launchd or a task of the Windows scheduler. It runs `lode up` for this folder, restarts',
    'it after a failure, and has the PATH of now, so that it finds the agent CLIs. Running it twice changes nothing. Run it again',
    'after a change of PATH.',
  ].join('\n'),
  options: { 'dry-run': { kind: 'flag', help: 'show the definition and the calls without making them' } },
  examples: [
    { line: 'lode service install --dry-run', does: 'preview the service' },
    { line: 'lode service install', does: 'install and start it' },
  ],
  async run(context, { options }) {
    const { installService, ownHost, serviceState } = await import('../../../app/service/service')
    const { home } = context.config()
    const isDryRun = options['dry-run']
    const host = ownHost(context.io.env)
    const running = await findServer(home)
    const { pid } = serviceState(home, host)
    const done = installService(home, host, isDryRun)
    context.answer(done, () => serviceChangeText(done, 'install'), { isExact: true })
    if (running !== null && running.pid !== pid)
      context.note(`a server runs already (process ${running.pid}). End it, then run 'lode service install' again.`)
  },
})
