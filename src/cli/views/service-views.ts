import type { Uninstalled } from '../../app/install/uninstall'
import type { UpgradeLook } from '../../app/install/upgrade'
import type { ServiceChange, ServiceState } from '../../app/service/service'
import { plural } from '../print/measures'
import { block, oneLine } from '../print/text'

/** What was done to the service, or would be. */
export function serviceChangeText(change: ServiceChange, kind: 'install' | 'remove'): string {
  const { file, text, isChanged, isDryRun, commands } = change
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
  return [
    `${isChanged ? 'installed' : 'already installed'}: ${oneLine(file)}\n`,
    "  'lode service status' shows it, 'lode service logs' its log, 'lode service remove' removes it.\n",
  ].join('')
}

export function serviceStateText({ manager, file, isInstalled, isCurrent, pid, isAvailable }: ServiceState): string {
  if (!isInstalled)
    return [
      `not installed (${manager})\n`,
      isAvailable ? "  'lode service install' installs it.\n" : `  ${manager} serves no services of this user here.\n`,
    ].join('')
  return [
    `installed  ${oneLine(file)}\n`,
    `process    ${pid ?? 'none, or the system does not say'}\n`,
    ...(isCurrent ? [] : ["  The definition differs from today's. Run 'lode service install' to renew it.\n"]),
  ].join('')
}

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

export function upgradeText(look: UpgradeLook & { isUpgraded: boolean; isServiceRestarted: boolean }): string {
  const { way, current, latest, isNewer, commands, isUpgraded, isServiceRestarted } = look
  if (latest === null) return block(`this is ${current} (by ${way}); the newest could not be asked\n`)
  if (!isNewer) return block(`this is the newest: ${current}\n`)
  const lines = isUpgraded
    ? [`updated from ${current} to ${latest}`, ...(isServiceRestarted ? ['the service runs it'] : [])]
    : [`${latest} is there, this is ${current}`, ...commands.map((command) => `  ${command}`)]
  return block(`${lines.join('\n')}\n`)
}
