import type { Answers } from '../../../api/contract/operations'
import type { Agent } from '../../../domain/agent'
import { age, localTime, plural } from '../../print/measures'
import { fields, table } from '../../print/table'
import { ago, type ViewSettings } from '../session/session-views'

export function agentTable(agents: readonly Agent[], { now, columns }: ViewSettings): string {
  return table(
    agents,
    [
      { title: 'ID', cell: (a) => a.id, max: 24 },
      { title: 'NAME', cell: (a) => a.name, max: 30 },
      { title: 'KIND', cell: kindOf },
      { title: 'STATUS', cell: (a) => (isLimited(a, now) ? `${a.status}, limited` : a.status) },
      { title: 'SEEN', cell: (a) => age(a.lastSeenAt, now), align: 'right', spare: 3 },
      { title: 'RUNNING', cell: (a) => `${a.running}/${a.concurrency}`, align: 'right' },
      { title: 'HOST', cell: (a) => a.host, max: 20, spare: 4 },
      {
        title: 'AGENT CLIS',
        cell: (a) => a.clis?.map(({ name }) => name).join(', ') || null,
        max: 60,
        flexible: 11,
        spare: 1,
      },
      { title: 'CAPABILITIES', cell: (a) => a.capabilities.join(', ') || null, max: 200, flexible: 12, spare: 2 },
    ],
    columns,
  )
}

/** '' = none. */
export function agentFileTable(files: Answers['agents']['list']['files'], { columns }: ViewSettings): string {
  if (files.length === 0) return ''
  return table(
    files,
    [
      { title: 'NAME', cell: (f) => f.name, max: 30 },
      { title: 'MODEL', cell: (f) => f.model, max: 20, spare: 1 },
      { title: 'FILE', cell: (f) => f.file, max: 60, spare: 2 },
      { title: 'ABOUT', cell: (f) => f.problem ?? f.description, max: 200, flexible: 16 },
    ],
    columns,
  )
}

/** Any worker runs what a specialist is given, unless a process has its name. */
const kindOf = (a: Agent) => (a.isSpecialist ? 'specialist' : a.kind)

const isLimited = (a: Agent, now: number) => a.limitedUntil !== null && Date.parse(a.limitedUntil) > now

export function agentFields(a: Agent, now: number): string {
  return fields([
    ['agent', a.id],
    ['name', a.name],
    ['kind', kindOf(a)],
    ['about', a.description],
    ['model', a.model],
    ['status', a.status],
    ['limited', isLimited(a, now) ? `by a usage limit, until ${localTime(a.limitedUntil)}` : null],
    ['running', `${a.running} of ${plural(a.concurrency, 'attempt')}`],
    ['host', a.host],
    ['agent CLIs', a.clis?.map(({ name, version }) => `${name} ${version}`).join(', ') || null],
    ['capabilities', a.capabilities.join(', ') || null],
    ['version', a.version],
    ['last seen', a.lastSeenAt === null ? null : `${localTime(a.lastSeenAt)} (${ago(a.lastSeenAt, now)})`],
    ['created', localTime(a.createdAt)],
  ])
}
