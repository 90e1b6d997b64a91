/** In which folders an agent runs tasks: by the names of folders alone. Where links lead only its machine knows. */
import { sql } from 'kysely'
import type { AgentKey } from '../../domain/ids'
import type { Program } from '../sql/program'
import { statement } from '../sql/statement'

/** For a row `d` of `agent_dirs`: whether a folder is in it. @param dir  an expression */
const holds = (dir: string): string => `(${dir} = d.dir or substr(${dir}, 1, length(d.dir) + 1) = d.dir || '/')`

/** For a task `t`: whether an agent runs tasks in its folder. Parameter: the agent's key. One without folders runs them anywhere. */
export const IN_ITS_DIRS = `(t.dir is null or coalesce((select max(case when ${holds('t.dir')} then 1 else 0 end)
  from agent_dirs d where d.agent_id = ?), 1) = 1)`

/** For a task `t`: whether it is in no folder of these agents, each of which has some. @param keys  a condition on `d.agent_id` */
export const outsideOf = (keys: string): string =>
  `(t.dir is not null and not exists (select 1 from agent_dirs d where ${keys} and ${holds('t.dir')}))`

const REMOVE = statement<{ agent: AgentKey }>()((db, param) =>
  db.deleteFrom('agent_dirs').where('agent_id', '=', param('agent')),
)
const ADD = statement<{ agent: AgentKey; dir: string }>()((db, param) =>
  db.insertInto('agent_dirs').values({ agent_id: param('agent'), dir: param('dir') }),
)

/** As `TaskTx.setAgentDirs`. */
export function* setAgentDirs(agent: AgentKey, dirs: readonly string[]): Program<void> {
  yield* REMOVE.run({ agent })
  for (const dir of new Set(dirs)) yield* ADD.run({ agent, dir })
}

const [BEFORE, AFTER] = IN_ITS_DIRS.split('?') as [string, string]
const RUNS_IN = statement<{ agent: AgentKey; dir: string }>()(
  (_db, param) => sql<{ isIn: number }>`select case when ${sql.raw(BEFORE)}${param('agent')}${sql.raw(AFTER)}
    then 1 else 0 end as "isIn" from (select cast(${param('dir')} as text) as dir) as t`,
)

/** As `TaskTx.runsIn`. */
export function* runsIn(agent: AgentKey, dir: string): Program<boolean> {
  return Number((yield* RUNS_IN.first({ agent, dir }))?.isIn) === 1
}
