/** The runs that the manifests of background work reported. Programs: both databases, reads and writes. */

import type { ManifestReads, ManifestTx, UntoldRun } from '../../domain/recall/manifest'
import type { ShellState } from '../../domain/session/shell'
import { lastWordsOf, SHELL_COLUMNS, SHELL_JOIN } from '../session/run-state'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import { changed, type Driver, type Program, rows, run } from '../sql/program'
import { programDriver } from '../sql/program-driver'
import type { ReadContext } from '../sql/read-context'

/** As the index `subagent_runs_untold` has it, word for word: by that the databases know that they may use it. */
const UNTOLD = `coalesce(manifest_state, '') not in ('old', 'none', 'ended', coalesce(status, 'lost'), coalesce(status, 'completed'),
      coalesce(nullif(status, 'failed'), 'killed'))`
/** Shells and monitors are in the background unless something says otherwise. */
const IS_BACKGROUND = "(a.is_background = 1 or (a.kind in ('shell', 'monitor') and coalesce(a.is_background, 1) = 1))"

const IS_NEWEST =
  'not exists (select 1 from subagent_runs n where n.subagent_id = r.subagent_id and n.number > r.number)'

interface Row extends SignalColumns {
  subagent_id: number
  number: number
  manifest_state: string | null
  started_at: number | null
  run_ended_at: number | null
  status: UntoldRun['status']
  evidence: string
  shell_state: ShellState | null
  shell_at: number | null
  result: string | null
  final_at: number | null
  turn_at: number | null
  is_newest: number | boolean
  tool_use_id: string | null
  native_id: string
  kind: UntoldRun['kind']
  type: string | null
  description: string | null
  prompt: string | null
  output_file: string | null
  session_native_id: string
  cwd: string | null
  host_name: string
  hostname: string
}

const select = (
  from: string,
): string => `select r.subagent_id, r.number, r.manifest_state, r.started_at, r.ended_at as run_ended_at, r.status,
  r.evidence, ${SHELL_COLUMNS},
  substr(coalesce(r.result, case when r.status is null then a.last_text end), 1, 400) as result, a.final_at, a.turn_at,
  ${IS_NEWEST} as is_newest, r.tool_use_id, a.native_id, a.kind, a.type, a.description, substr(a.prompt, 1, 400) as prompt,
  a.output_file, s.native_id as session_native_id, s.cwd, ${SIGNALS},
  h.name as host_name, h.hostname
  from (${from}) r join subagents a on a.id = r.subagent_id join sessions s on s.id = r.session_id join hosts h on h.id = s.host_id
  ${SHELL_JOIN}
  where ${IS_BACKGROUND}`
/** Runs that are reported as launched and may have ended: what runs on is most of them. */
const MAY_HAVE_ENDED = `(r.status is not null or r.manifest_state <> 'launched' or s.activity = 'ended' or s.process_state = 'gone'
    or p.state is not null)`

function* untold(hosts: readonly string[], since: number, limit: number): Program<UntoldRun[]> {
  const runs = (where: string) => select(`select * from subagent_runs where ${UNTOLD} and ${where}`)
  const here = `h.name in (${hosts.map(() => '?').join(', ')})`
  const order = 'order by r.started_at, r.subagent_id, r.number limit ?'
  const begun = yield* rows<Row>(
    `${runs('manifest_state is not null')} and ${MAY_HAVE_ENDED} and ${here} ${order}`,
    ...hosts,
    limit,
  )
  const fresh = yield* rows<Row>(
    `${runs('manifest_state is null and started_at >= ?')} and ${here} ${order}`,
    Math.trunc(since),
    ...hosts,
    limit,
  )
  return [...begun, ...fresh].map(toRun)
}

const number = (value: number | null): number | null => (value === null ? null : Number(value))

function toRun(row: Row): UntoldRun {
  return {
    subagentKey: Number(row.subagent_id),
    number: Number(row.number),
    told: row.manifest_state,
    subagentId: row.native_id,
    kind: row.kind,
    type: row.type,
    description: row.description,
    prompt: row.prompt,
    outputFile: row.output_file,
    sessionId: row.session_native_id,
    cwd: row.cwd,
    toolUseId: row.tool_use_id,
    startedAt: number(row.started_at),
    endedAt: number(row.run_ended_at),
    status: row.status,
    evidence: row.evidence,
    shell: row.shell_state === null ? null : { state: row.shell_state, at: Number(row.shell_at) },
    lastWordsAt: lastWordsOf(row),
    result: row.result,
    host: { name: row.host_name, hostname: row.hostname },
    signals: signalsOf(row),
  }
}

export function manifestReads({ db }: ReadContext): ManifestReads {
  return {
    untold: (...call) => programDriver(db)(untold(...call)),
  }
}

export function createManifestTx(driver: Driver): ManifestTx {
  return {
    setTold: ({ subagentKey, number }, from, to) => driver.drive(setTold(subagentKey, number, from, to)),
    passOver: (since, settled) => driver.drive(passOver(since, settled)),
  }
}

function* setTold(subagent: number, number: number, from: string | null, to: string): Program<boolean> {
  const moved = yield* changed(
    `update subagent_runs set manifest_state = ? where subagent_id = ? and number = ? and coalesce(manifest_state, '') = ?`,
    to,
    subagent,
    number,
    from ?? '',
  )
  return moved > 0
}

function* passOver(since: number, settled: number): Program<void> {
  const never = `${UNTOLD} and manifest_state is null`
  yield* run(`update subagent_runs set manifest_state = 'old' where ${never} and started_at < ?`, Math.trunc(since))
  yield* run(
    `update subagent_runs set manifest_state = 'none' where ${never} and ended_at < ?
     and not exists (select 1 from subagents a where a.id = subagent_runs.subagent_id and ${IS_BACKGROUND})`,
    Math.trunc(settled),
  )
}
