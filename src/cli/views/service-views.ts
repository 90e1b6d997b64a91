import type { Uninstalled } from '../../app/install/uninstall'
import type { UpgradeLook } from '../../app/install/upgrade'
import type { Restart, ServiceChange, ServiceState } from '../../app/service/service'
import type { Both } from '../../app/service/service-parts'
import { localTime, plural } from '../print/measures'
import { block, oneLine } from '../print/text'

/** What was done to the service, or would be. */
export function serviceChangeText({ worker, ...main }: Both<ServiceChange>, kind: 'install' | 'remove'): string {
  const parts = worker === null ? [main] : kind === 'install' ? [main, worker] : [worker, main]
  const text = parts.map((part) => changeText(part, kind)).join('')
  if (kind === 'remove' || main.isDryRun) return text
  return `${text}  'lode service status' shows it, 'lode service logs' its log, 'lode service remove' removes it.\n`
}

function changeText({ file, text, isChanged, isDryRun, commands }: ServiceChange, kind: 'install' | 'remove'): string {
  if (!isChanged && kind === 'remove') return `there is no service: ${oneLine(file)} does not exist\n`
  const verb = kind === 'install' ? 'write' : 'remove'
  const lines = [
    isChanged ? `would ${verb} ${file}` : `${file} is up to date`,
    ...(kind === 'install' && isChanged
      ? text
          .trim()
          .split(/\r?\n/)
          .map((line) => `  ${line}`)
      : []),
    ...commands.map((command) => `would run ${command}`),
  ]
  if (isDryRun) return block(`${lines.join('\n')}\n`)
  if (kind === 'remove') return `removed the service and ${oneLine(file)}\n`
  return `${isChanged ? 'installed' : 'already installed'}: ${oneLine(file)}\n`
}

export function serviceStateText({ worker, ...main }: Both<ServiceState>): string {
  const { manager, isInstalled, isAvailable } = main
  if (!isInstalled)
    return [
      `not installed (${manager})\n`,
      isAvailable ? "  'lode service install' installs it.\n" : `  ${manager} serves no services of this user here.\n`,
    ].join('')
  const isCurrent = main.isCurrent && worker?.isCurrent !== false
  return [
    partText('installed', main),
    ...(worker === null ? [] : [partText('worker', worker)]),
    ...(isCurrent ? [] : ["  The definition differs from today's. Run 'lode service install' to renew it.\n"]),
  ].join('')
}

function partText(title: string, { file, isInstalled, pid, says }: ServiceState): string {
  if (!isInstalled)
    return `${title.padEnd(9)}  none of its own: the server has it, and ends its runs when it restarts\n`
  const process = pid ?? says?.pid ?? 'none, or the system does not say'
  const runs = says === null ? '' : `, version ${oneLine(says.version)}, ${plural(says.running, 'run')}`
  const asked = says?.restartAskedAt ?? null
  return [
    `${title.padEnd(9)}  ${oneLine(file)}\n`,
    `process    ${process}${runs}\n`,
    ...(says === null || asked === null ? [] : [`           ${restartWords({ ...says, restartAskedAt: asked })}\n`]),
  ].join('')
}

/** `restarts when its 2 runs end, asked 10:02` */
export const restartWords = ({ running, restartAskedAt }: { running: number; restartAskedAt: string }): string =>
  `restarts when ${running === 1 ? 'its run ends' : running === 0 ? 'it is idle' : `its ${running} runs end`}, asked ${localTime(restartAskedAt)}`

export const restartText = (restart: Restart): string =>
  restart === 'when idle'
    ? "  The worker restarts when nothing runs; 'lode service restart --now' does not wait.\n"
    : ''

/** What was removed, or would be, and how the program itself is removed. */
export function uninstallText({ isDryRun, hooks, plugins, service, data, way, removeCommand }: Uninstalled): string {
  const removed = isDryRun ? 'would remove' : 'removed'
  const lines = [
    ...hooks.map(({ file, count, problem }) =>
      problem === null ? `${removed} ${plural(count, 'hook')} from ${file}` : `could not change ${file}: ${problem}`,
    ),
    ...plugins.map(({ command, problem }) =>
      problem === null ? `${removed} the plugin: ${command}` : `could not remove the plugin: ${command}: ${problem}`,
    ),
    ...(service?.isChanged === true ? [`${removed} the service ${service.file}`] : []),
    data.isPurged ? `${removed} the record in ${data.home}` : `the record stays in ${data.home}`,
    ...(data.isPurged && data.left.length > 0 ? [`not of Lodeline, so they stay: ${data.left.join(', ')}`] : []),
    removeCommand === null
      ? way === 'repository'
        ? 'the program runs from a repository: remove the link on your PATH, and that folder, yourself'
        : `the program came by ${way}: nothing of it is installed`
      : `remove the program:  ${removeCommand}`,
  ]
  return block(`${lines.join('\n')}\n`)
}

interface UpgradeDone extends UpgradeLook {
  isUpgraded: boolean
  isServiceRestarted: boolean
  isWorkerAwaited: boolean
}

export function upgradeText(look: UpgradeDone): string {
  const { way, current, latest, isNewer, commands, isUpgraded, isServiceRestarted, isWorkerAwaited } = look
  if (latest === null) return block(`this is ${current} (by ${way}); the newest could not be asked\n`)
  if (!isNewer) return block(`this is the newest: ${current}\n`)
  const lines = isUpgraded
    ? [
        `updated from ${current} to ${latest}`,
        ...(isServiceRestarted
          ? [`the service runs it${isWorkerAwaited ? '; its worker does when nothing runs' : ''}`]
          : []),
      ]
    : [`${latest} is there, this is ${current}`, ...commands.map((command) => `  ${command}`)]
  return block(`${lines.join('\n')}\n`)
}
