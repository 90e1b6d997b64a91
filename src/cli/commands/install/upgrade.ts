import { MINUTE_MS } from '../../../domain/time-units'
import { defineCommand } from '../../kit/command'
import { findServer } from '../../kit/connect'
import { upgradeText } from '../../views/service-views'

export const command = defineCommand({
  summary: 'Install the newest release as this one was installed, and restart the service',
  details: [
    'Runs the command of npm, Homebrew, the install script or Git that updates this program. The service then restarts, and ends no run:',
    'its server at once, its worker as soon as nothing runs. What you started yourself keeps the old program until you restart it.',
  ].join('\n'),
  options: { check: { kind: 'flag', help: 'only look whether there is a newer release' } },
  examples: [
    { line: 'lode upgrade --check', does: 'look for a newer release' },
    { line: 'lode upgrade', does: 'update the program' },
  ],
  async run(context, { options }) {
    const [{ ownInstallation }, { lookForUpgrade, upgrade }, { ownHost }, { partsOf, partsState, restartParts }] =
      await Promise.all([
        import('../../../app/install/installation'),
        import('../../../app/install/upgrade'),
        import('../../../app/service/service'),
        import('../../../app/service/service-parts'),
      ])
    const { home } = context.config()
    const host = ownHost(context.io.env, UPGRADE_MS)
    const installation = ownInstallation()
    const look = lookForUpgrade(installation, host.run)
    const isDue = look.isNewer && !options.check
    if (isDue) upgrade(installation, host.run)
    // Windows replaces no program that runs, and names no process.
    const served = [false, true]
      .map(partsOf)
      .filter((parts) => isDue && host.platform !== 'win32' && partsState(home, host, parts).pid !== null)
    const isOnePart = served.some((parts) => partsState(home, host, parts).worker?.isInstalled === false)
    const restarts = served.map((parts) => restartParts(home, host, parts))
    const isServed = served.some(({ main }) => main.kind === 'server')
    const running = isDue && !isServed ? await findServer(home) : null
    const answer = {
      ...look,
      isUpgraded: isDue,
      isServiceRestarted: restarts.length > 0,
      isWorkerAwaited: restarts.includes('when idle'),
    }
    context.answer(answer, () => upgradeText(answer))
    if (isOnePart)
      context.note("the restart ended runs in order. Run 'lode service install' once, and later updates end none.")
    if (running !== null)
      context.note(
        `the server (process ${running.pid}) still runs ${running.version}. Restart it where you started it.`,
      )
  },
})

/** A slow network fetches the program within this time, in milliseconds. */
const UPGRADE_MS = 15 * MINUTE_MS
