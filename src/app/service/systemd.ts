import { join } from 'node:path'
import { firstNumber } from './first-number'
import type { Command, ServicePlan, ServiceSpec } from './service-plan'

/** A unit of the user's own systemd. */
export function systemdPlan({ kind, name, command, env, userHome }: ServiceSpec, configHome?: string): ServicePlan {
  const unit = `${name}.service`
  const call = (...words: string[]): Command => ['systemctl', '--user', ...words]
  return {
    manager: 'systemd',
    file: join(configHome || join(userHome, '.config'), 'systemd/user', unit),
    text: [
      '# Written by `lode service install`; `lode service remove` removes it.',
      '[Unit]',
      `Description=Lodeline, the continuity layer for coding agents${kind === 'server' ? '' : ': its worker'}`,
      // At the end of a login the worker ends first, so that its server takes how the runs ended.
      ...(kind === 'runs' ? [`After=${unit.replace('-runs', '')}`] : []),
      '',
      '[Service]',
      'Type=exec',
      `ExecStart=${command.map((word) => quoted(word.replaceAll('$', '$$$$'))).join(' ')}`,
      ...Object.entries(env).map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}`),
      ...(kind === 'server'
        ? ['Restart=on-failure', 'RestartSec=5']
        : ['# It ends by itself, with 0, when it makes room for a new program.', 'Restart=always', 'RestartSec=3']),
      '# It ends in order itself; what it left after this time is killed.',
      'KillMode=mixed',
      'TimeoutStopSec=60',
      '',
      '[Install]',
      'WantedBy=default.target',
      '',
    ].join('\n'),
    encoding: 'utf8',
    probe: call('show-environment'),
    load: [call('daemon-reload')],
    start: [call('enable', '--now', unit)],
    isStartedOnce: false,
    restart: [call('restart', unit)],
    stop: [call('disable', '--now', unit)],
    forget: [call('daemon-reload'), call('reset-failed', unit)],
    ask: call('show', '--property=MainPID', unit),
    pidOf: (printed) => firstNumber(/^MainPID=(\d+)$/m, printed),
  }
}

/** A word of a unit: `%` begins a specifier, and a quoted word knows the escapes of C. */
function quoted(word: string): string {
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('%', '%%')}"`
}
