/** The agent CLIs that worked on a tree of tasks, beside its sessions, and an index of the few that stand in another project than their own. */
import type { Migration } from '../migration'

export const workAgentsMigration: Migration = {
  number: 333,
  name: 'work-agents',
  minCompatible: 330,
  up: (t) => [
    'alter table work_sessions add column agent text', // the session's own, which never changes
    ...t.workAgents,
  ],
  down: (t) => [...t.dropWorkAgents, 'alter table work_sessions drop column agent'],
}

export const fillWorkAgentsMigration: Migration = {
  number: 334,
  name: 'fill-work-agents',
  minCompatible: 330,
  backfill:
    () => `update work_sessions set agent = (select s.agent from sessions s where s.id = work_sessions.session_id)
    where session_id in (select w.session_id from work_sessions w where w.agent is null order by w.session_id limit 2000) and agent is null`,
}

export const workAgentIndexesMigration: Migration = {
  number: 335,
  name: 'work-agent-indexes',
  minCompatible: 330,
  indexes: () => [
    { name: 'work_sessions_below', on: 'work_sessions (root_id, agent)' },
    { name: 'work_sessions_agent', on: 'work_sessions (agent, project_id, session_id)' },
    {
      name: 'work_sessions_elsewhere',
      on: 'work_sessions (session_id) where root_project_id is distinct from project_id or root_project_id is null',
    },
  ],
}

/** `work_sessions_below` does what it did. */
export const dropWorkRootsMigration: Migration = {
  number: 336,
  name: 'drop-work-roots',
  minCompatible: 330,
  up: () => ['drop index work_sessions_root'],
  down: () => ['create index work_sessions_root on work_sessions (root_id)'],
}
