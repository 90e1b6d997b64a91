import { defineCommand } from '../../kit/command'
import { findServer } from '../../kit/connect'
import { upgradeText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Install the newest release as this one was installed, and restart the service',
  details: [
    'Runs the command of npm, Homebrew, the install script or Git that updates this program. The service then restarts: its server ends',
    'the runs of tasks in order, and each continues its conversation with the new program. A server that you started yourself keeps',
    'the old program until you restart it.',
  ].join('\n'),
  options: { check: { kind: 'flag', help: 'only look whether there is a newer release' } },
  examples: [
    { line: 'lode upgrade --check', does: 'look for a newer release' },
    { line: 'lode upgrade', does: 'update the program' },
  ],
  async run(context, { options }) {
    const [{ ownInstallation }, { lookForUpgrade, upgrade }, { ownHost, restartService, serviceState }] =
      await Promise.all([
        import('../../../app/install/installation'),
        import('../../../app/install/upgrade'),
        import('../../../app/service/service'),
      ])
    const { home } = context.config()
    const host = ownHost(context.io.env, UPGRADE_MS)
    const installation = ownInstallation()
    const look = lookForUpgrade(installation, host.run)
    const isDue = look.isNewer && !options.check
    if (isDue) upgrade(installation, host.run)
    const isServed = isDue && host.platform !== 'win32' && serviceState(home, host).pid !== null
    if (isServed) restartService(home, host)
    const running = isDue && !isServed ? await findServer(home) : null
    const answer = { ...look, isUpgraded: isDue, isServiceRestarted: isServed }
    context.answer(answer, () => upgradeText(answer))
    if (running !== null)
      context.note(
        `the server (process ${running.pid}) still runs ${running.version}. Restart it where you started it.`,
      )
  },
})

/** A slow network fetches the program within this time, in milliseconds. */
const UPGRADE_MS = 900_000
