import { join } from 'node:path'
import { escapeXml } from './escape-xml'
import type { Command, ServicePlan, ServiceSpec } from './service-plan'

/** Names in Lodeline's folder. */
export const TASK_FILES = { server: 'service-task.xml', runs: 'runs-task.xml', worker: 'worker-task.xml' } as const

/**
 * A worker ends by itself, with 0, when it makes room for a new program, and the scheduler starts again only what failed: it looks each minute
 * whether the worker is there. A start while it runs is ignored.
 */
const EACH_MINUTE =
  '<TimeTrigger><Repetition><Interval>PT1M</Interval><StopAtDurationEnd>false</StopAtDurationEnd></Repetition><StartBoundary>2020-01-01T00:00:00</StartBoundary><Enabled>true</Enabled></TimeTrigger>'

/** A task of Windows' scheduler that starts at the user's login. It gets the user's environment; `env` is not needed. */
export function windowsPlan({ home, kind, name, command }: ServiceSpec): ServicePlan {
  const [program = '', ...words] = command
  const file = join(home, TASK_FILES[kind])
  const call = (...rest: string[]): Command => ['schtasks.exe', ...rest]
  return {
    manager: 'task-scheduler',
    file,
    text: [
      '\uFEFF<?xml version="1.0" encoding="UTF-16"?>',
      '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
      `  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger>${kind === 'server' ? '' : EACH_MINUTE}</Triggers>`,
      '  <Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>',
      '  <Settings>',
      '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
      '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
      '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
      '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
      '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
      '  </Settings>',
      '  <Actions Context="Author">',
      `    <Exec><Command>${escapeXml(program)}</Command><Arguments>${escapeXml(words.map(quoted).join(' '))}</Arguments></Exec>`,
      '  </Actions>',
      '</Task>',
      '',
    ].join('\r\n'),
    encoding: 'utf16le',
    probe: call('/Query'),
    load: [call('/Create', '/TN', name, '/XML', file, '/F')],
    start: [call('/Run', '/TN', name)],
    isStartedOnce: false,
    restart: [call('/End', '/TN', name), call('/Run', '/TN', name)],
    stop: [call('/End', '/TN', name), call('/Delete', '/TN', name, '/F')],
    forget: [],
    ask: call('/Query', '/TN', name, '/FO', 'CSV', '/V'),
    // It names no process.
    pidOf: () => null,
  }
}

/** A word as programs for Windows read it: backslashes count only before a quote. */
function quoted(word: string): string {
  return /^[^\s"]+$/.test(word)
    ? word
    : `"${word.replace(/(\\*)("|$)/g, (_, slashes: string, quote: string) => slashes + slashes + (quote && '\\"'))}"`
}
