import type { AddedMachine } from '../../app/machines/add-machine'
import type { Agent } from '../../domain/agent'
import type { MachineFacts } from '../../domain/machine/machine'
import { age, localTime, plural } from '../print/measures'
import { fields, table } from '../print/table'
import { oneLine } from '../print/text'
import { restartWords } from './service-views'
import { ago, type ViewSettings } from './session/session-views'

export const machineTable = (machines: readonly Agent[], { now, columns }: ViewSettings): string =>
  table(
    machines,
    [
      { title: 'NAME', cell: (m) => m.name, max: 60, flexible: 12 },
      { title: 'STATE', cell: stateOf },
      { title: 'RUNNING', cell: (m) => `${m.running}/${m.concurrency}`, align: 'right' },
      { title: 'CORES', cell: (m) => m.machine && String(m.machine.cores), align: 'right' },
      { title: 'MEMORY', cell: (m) => memoryOf(m.machine), align: 'right' },
      { title: 'GPUS', cell: (m) => m.machine && String(m.machine.gpus.length), align: 'right', spare: 2 },
      {
        title: 'AGENT CLIS',
        cell: (m) => m.clis?.map(({ name }) => name).join(', ') || null,
        max: 60,
        flexible: 11,
        spare: 1,
      },
      { title: 'VERSION', cell: (m) => m.version, max: 20, spare: 4 },
      { title: 'SEEN', cell: (m) => age(m.lastSeenAt, now), align: 'right', spare: 3 },
    ],
    columns,
  )

export function machineFields(m: Agent, now: number): string {
  const { machine } = m
  return fields([
    ['machine', m.name],
    ['state', m.drainingSince === null ? stateOf(m) : `${stateOf(m)}, since ${localTime(m.drainingSince)}`],
    ['restart', restartOf(m)],
    ['running', `${m.running} of ${plural(m.concurrency, 'attempt')}`],
    ['host', m.host],
    ['system', machine && `${machine.platform} ${machine.arch}`],
    ['cores', machine && String(machine.cores)],
    ['memory', memoryOf(machine)],
    ['GPUs', machine?.gpus.join(', ') || null],
    ['agent CLIs', m.clis?.map(({ name, version }) => `${name} ${version}`).join(', ') || null],
    ['capabilities', m.capabilities.join(', ') || null],
    ['repositories', machine?.repositories.join(', ') || null],
    ['version', m.version],
    ['worker', m.id],
    ['last seen', m.lastSeenAt === null ? null : `${localTime(m.lastSeenAt)} (${ago(m.lastSeenAt, now)})`],
  ])
}

/** Draining says more than being online: it takes nothing. A worker that is to restart runs a former program. */
function stateOf({ status, drainingSince, restartAskedAt }: Agent): string {
  if (drainingSince !== null) return status === 'online' ? 'draining' : `${status}, drained`
  return status === 'online' && restartAskedAt !== null ? 'restart due' : status
}

/** `runs 0.9.0, restarts when its 2 runs end, asked 10:02`; `null` = it was not asked to. */
export const restartOf = ({ status, version, running, restartAskedAt }: Agent): string | null =>
  status === 'offline' || restartAskedAt === null
    ? null
    : `runs ${version ?? 'a former program'}, ${restartWords({ running, restartAskedAt })}`

const memoryOf = (machine: MachineFacts | null): string | null =>
  machine === null ? null : `${Math.round(machine.memoryBytes / 2 ** 30)} GiB`

export const addedText = ({ name, system, isCopied, isEnrolled, service, startWith }: AddedMachine): string =>
  [
    `${name} (${system})`,
    isCopied ? 'got the program' : 'has this program already',
    isEnrolled ? 'got its access' : 'has its access already',
    service === null ? `has no service. Start its worker with:\n  ${oneLine(startWith ?? '')}` : 'takes tasks',
  ]
    .map((part, at) => (at === 0 ? part : `  ${part}`))
    .join('\n')
    .concat('\n')

interface Upgraded {
  name: string
  system: string
  isCopied: boolean
  isRestarted: boolean
  isAwaited: boolean
}

export const upgradedText = ({ name, system, isCopied, isRestarted, isAwaited }: Upgraded): string => {
  if (!isCopied) return `${name} (${system}) has this program already\n`
  const next = isRestarted
    ? `its worker ${isAwaited ? 'restarts when nothing runs there' : 'runs it'}`
    : 'restart its worker: no service of Lodeline runs there'
  return `${name} (${system}) got the program; ${next}\n`
}
