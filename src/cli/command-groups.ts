import { BD_ELSEWHERE, BD_VERBS } from './bd/table'
import type { CommandGroup } from './kit/command'

/** The groups of commands, by their folder below `commands`. A folder that is not here only keeps files together. */
export const GROUPS = {
  task: 'Manage tasks: units of work for agents',
  question: 'Answer questions: tool calls that need approval',
  need: 'See what needs you, and take off the list what you are done with',
  issue: 'Track issues: work to do, shared by agents and people',
  'issue/status': 'Manage issue statuses, including custom ones',
  dep: 'Manage dependencies between issues',
  label: 'Manage issue labels',
  comment: 'Read and add issue comments',
  epic: 'Manage epics: issues that group tasks',
  agent: 'Manage agents: workers, leads and specialists',
  machine: 'Manage the machines of the fleet, on which workers run tasks',
  worker: 'Manage the access of workers on other machines',
  token: 'Manage the tokens of people and programs',
  share: 'Manage links that show a session to people without a login',
  user: 'Manage people and what each may do',
  cost: 'Show what model usage costs',
  budget: 'Limit what agents may use, in dollars or tokens',
  plan: 'Manage plans: sets of tasks with dependencies',
  message: 'Send and read messages between tasks, sessions and agents',
  audit: 'Show and check the audit log: who did what that matters for security',
  secret: 'Find secrets in recorded conversations, and take them out',
  inbox: 'Handle requests from external systems',
  'inbox/source': 'Manage the sources that may send requests',
  notify: 'Choose how Lodeline tells you what needs you',
  session: 'Inspect, export, resume and forget agent sessions',
  event: 'Read session events',
  subagent: "Inspect and manage a session's sub-agents and background work",
  todo: "Inspect agents' to-do lists and link them to issues",
  config: 'Read and change settings',
  db: 'Migrate and maintain the database',
  'db/migrate': 'Upgrade, downgrade or inspect the schema',
  workspace: 'Manage workspaces: databases of several teams on one PostgreSQL server',
  setup: "Configure Lodeline in an agent's settings",
  service: 'Start Lodeline at each login',
} as const satisfies Record<string, string>

/** The same commands under the names of another tracker. */
export const BD: CommandGroup = {
  summary: "Use the tracker with bd's commands, options and JSON output",
  verbs: BD_VERBS,
  elsewhere: BD_ELSEWHERE,
}

/** Run by programs, not by people: not listed and not completed. */
export const HIDDEN = ['hook', 'complete', 'statusline', 'guard', 'bridge']
