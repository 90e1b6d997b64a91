import { BD_ELSEWHERE, BD_VERBS } from './bd/table'
import type { CommandTree } from './kit/command'

/** Every command by its place. Loading is by literal imports, so that the bundler keeps each command in a file of its own. */
export const COMMANDS: CommandTree = {
  up: () => import('./commands/server/up'),
  serve: () => import('./commands/server/serve'),
  status: () => import('./commands/server/status'),
  digest: () => import('./commands/digest'),
  top: () => import('./commands/top'),
  open: () => import('./commands/open'),
  task: {
    summary: 'Manage tasks: units of work for agents',
    verbs: {
      create: () => import('./commands/task/create'),
      list: () => import('./commands/task/list'),
      show: () => import('./commands/task/show'),
      tree: () => import('./commands/task/tree'),
      log: () => import('./commands/task/log'),
      wait: () => import('./commands/task/wait'),
      input: () => import('./commands/task/input'),
      open: () => import('./commands/task/open'),
      diff: () => import('./commands/task/diff'),
      merge: () => import('./commands/task/merge'),
      drop: () => import('./commands/task/drop'),
      edit: () => import('./commands/task/edit'),
      pause: () => import('./commands/task/pause'),
      resume: () => import('./commands/task/resume'),
      cancel: () => import('./commands/task/cancel'),
      deploy: () => import('./commands/task/deploy'),
      retry: () => import('./commands/task/retry'),
      release: () => import('./commands/task/release'),
      offer: () => import('./commands/task/offer'),
      accept: () => import('./commands/task/accept'),
      reject: () => import('./commands/task/reject'),
    },
  },
  run: () => import('./commands/run'),
  orchestrate: () => import('./commands/orchestrate'),
  question: {
    summary: 'Answer questions: tool calls that need approval',
    verbs: { list: () => import('./commands/question/list'), answer: () => import('./commands/question/answer') },
  },
  need: {
    summary: 'See what needs you, and take off the list what you are done with',
    verbs: {
      list: () => import('./commands/need/list'),
      dismiss: () => import('./commands/need/dismiss'),
      snooze: () => import('./commands/need/snooze'),
    },
  },
  issue: {
    summary: 'Track issues: work to do, shared by agents and people',
    verbs: {
      create: () => import('./commands/issue/create'),
      list: () => import('./commands/issue/list'),
      show: () => import('./commands/issue/show'),
      update: () => import('./commands/issue/update'),
      claim: () => import('./commands/issue/claim'),
      dispatch: () => import('./commands/issue/dispatch'),
      close: () => import('./commands/issue/close'),
      reopen: () => import('./commands/issue/reopen'),
      ready: () => import('./commands/issue/ready'),
      blocked: () => import('./commands/issue/blocked'),
      search: () => import('./commands/issue/search'),
      stats: () => import('./commands/issue/stats'),
      delete: () => import('./commands/issue/delete'),
      export: () => import('./commands/issue/export'),
      import: () => import('./commands/issue/import'),
      sync: () => import('./commands/issue/sync'),
      merge: () => import('./commands/issue/merge'),
      status: {
        summary: 'Manage issue statuses, including custom ones',
        verbs: {
          list: () => import('./commands/issue/status/list'),
          add: () => import('./commands/issue/status/add'),
          remove: () => import('./commands/issue/status/remove'),
        },
      },
    },
  },
  bd: {
    summary: "Use the tracker with bd's commands, options and JSON output",
    verbs: BD_VERBS,
    elsewhere: BD_ELSEWHERE,
  },
  dep: {
    summary: 'Manage dependencies between issues',
    verbs: {
      add: () => import('./commands/dep/add'),
      remove: () => import('./commands/dep/remove'),
      list: () => import('./commands/dep/list'),
      tree: () => import('./commands/dep/tree'),
      cycles: () => import('./commands/dep/cycles'),
    },
  },
  label: {
    summary: 'Manage issue labels',
    verbs: {
      add: () => import('./commands/label/add'),
      remove: () => import('./commands/label/remove'),
      list: () => import('./commands/label/list'),
    },
  },
  comment: {
    summary: 'Read and add issue comments',
    verbs: { add: () => import('./commands/comment/add'), list: () => import('./commands/comment/list') },
  },
  epic: {
    summary: 'Manage epics: issues that group tasks',
    verbs: {
      create: () => import('./commands/epic/create'),
      list: () => import('./commands/epic/list'),
      show: () => import('./commands/epic/show'),
      add: () => import('./commands/epic/add'),
      status: () => import('./commands/epic/status'),
    },
  },
  agent: {
    summary: 'Manage agents: workers, leads and specialists',
    verbs: {
      list: () => import('./commands/agent/list'),
      show: () => import('./commands/agent/show'),
      add: () => import('./commands/agent/add'),
    },
  },
  worker: {
    summary: 'Manage the access of workers on other machines',
    verbs: {
      enroll: () => import('./commands/worker/enroll'),
      list: () => import('./commands/worker/list'),
      revoke: () => import('./commands/worker/revoke'),
    },
  },
  token: {
    summary: 'Manage the tokens of people and programs',
    verbs: {
      create: () => import('./commands/token/create'),
      list: () => import('./commands/token/list'),
      revoke: () => import('./commands/token/revoke'),
      rotate: () => import('./commands/token/rotate'),
    },
  },
  share: {
    summary: 'Manage links that show a session to people without a login',
    verbs: {
      create: () => import('./commands/share/create'),
      list: () => import('./commands/share/list'),
      revoke: () => import('./commands/share/revoke'),
    },
  },
  user: {
    summary: 'Manage people and what each may do',
    verbs: {
      add: () => import('./commands/user/add'),
      list: () => import('./commands/user/list'),
      edit: () => import('./commands/user/edit'),
      remove: () => import('./commands/user/remove'),
      code: () => import('./commands/user/code'),
    },
  },
  cost: {
    summary: 'Show what model usage costs',
    verbs: { list: () => import('./commands/cost/list') },
  },
  budget: {
    summary: 'Limit what agents may use, in dollars or tokens',
    verbs: {
      add: () => import('./commands/budget/add'),
      list: () => import('./commands/budget/list'),
      allow: () => import('./commands/budget/allow'),
      remove: () => import('./commands/budget/remove'),
    },
  },
  plan: {
    summary: 'Manage plans: sets of tasks with dependencies',
    verbs: { create: () => import('./commands/plan/create'), show: () => import('./commands/plan/show') },
  },
  message: {
    summary: 'Send and read messages between tasks, sessions and agents',
    verbs: {
      send: () => import('./commands/message/send'),
      list: () => import('./commands/message/list'),
      show: () => import('./commands/message/show'),
      withdraw: () => import('./commands/message/withdraw'),
    },
  },
  audit: {
    summary: 'Show and check who did what that matters for security',
    verbs: { list: () => import('./commands/audit/list'), verify: () => import('./commands/audit/verify') },
  },
  backup: () => import('./commands/keep/backup'),
  restore: () => import('./commands/keep/restore'),
  retention: () => import('./commands/keep/retention'),
  secret: {
    summary: 'Find secrets in recorded conversations, and take them out',
    verbs: { scan: () => import('./commands/secret/scan'), erase: () => import('./commands/secret/erase') },
  },
  inbox: {
    summary: 'Handle requests from external systems',
    verbs: {
      list: () => import('./commands/inbox/list'),
      show: () => import('./commands/inbox/show'),
      delegate: () => import('./commands/inbox/delegate'),
      reply: () => import('./commands/inbox/reply'),
      close: () => import('./commands/inbox/close'),
      source: {
        summary: 'Manage the sources that may send requests',
        verbs: {
          add: () => import('./commands/inbox/source/add'),
          list: () => import('./commands/inbox/source/list'),
          remove: () => import('./commands/inbox/source/remove'),
        },
      },
    },
  },
  notify: {
    summary: 'Choose how Lodeline notifies you of what needs you',
    verbs: {
      add: () => import('./commands/notify/add'),
      list: () => import('./commands/notify/list'),
      test: () => import('./commands/notify/test'),
      log: () => import('./commands/notify/log'),
      remove: () => import('./commands/notify/remove'),
    },
  },
  work: () => import('./commands/work'),
  session: {
    summary: 'Inspect, export, resume and forget agent sessions',
    verbs: {
      list: () => import('./commands/session/list'),
      show: () => import('./commands/session/show'),
      tree: () => import('./commands/session/tree'),
      timeline: () => import('./commands/session/timeline'),
      diff: () => import('./commands/session/diff'),
      compare: () => import('./commands/session/compare'),
      export: () => import('./commands/session/export'),
      attach: () => import('./commands/session/attach'),
      detach: () => import('./commands/session/detach'),
      messages: () => import('./commands/session/messages'),
      resume: () => import('./commands/session/resume'),
      forget: () => import('./commands/session/forget'),
    },
  },
  event: {
    summary: 'Read session events',
    verbs: { list: () => import('./commands/event/list'), show: () => import('./commands/event/show') },
  },
  subagent: {
    summary: "Inspect and manage a session's sub-agents and background work",
    verbs: {
      list: () => import('./commands/subagent/list'),
      show: () => import('./commands/subagent/show'),
      output: () => import('./commands/subagent/output'),
      stop: () => import('./commands/subagent/stop'),
      'mark-read': () => import('./commands/subagent/mark-read'),
    },
  },
  todo: {
    summary: "Inspect agents' to-do lists and link them to issues",
    verbs: {
      list: () => import('./commands/todo/list'),
      link: () => import('./commands/todo/link'),
      unlink: () => import('./commands/todo/unlink'),
      promote: () => import('./commands/todo/promote'),
      take: () => import('./commands/todo/take'),
      history: () => import('./commands/todo/history'),
      export: () => import('./commands/todo/export'),
      sync: () => import('./commands/todo/sync'),
      finalize: () => import('./commands/todo/finalize'),
    },
  },
  prime: () => import('./commands/prime'),
  handoff: () => import('./commands/handoff'),
  recover: () => import('./commands/recover'),
  search: () => import('./commands/search'),
  feed: () => import('./commands/feed'),
  import: () => import('./commands/import'),
  rebuild: () => import('./commands/rebuild'),
  doctor: () => import('./commands/doctor'),
  config: {
    summary: 'Read and change settings',
    verbs: {
      list: () => import('./commands/config/list'),
      get: () => import('./commands/config/get'),
      set: () => import('./commands/config/set'),
      path: () => import('./commands/config/path'),
    },
  },
  db: {
    summary: 'Migrate and maintain the database',
    verbs: {
      migrate: {
        summary: 'Upgrade, downgrade or inspect the schema',
        verbs: {
          up: () => import('./commands/db/migrate-up'),
          down: () => import('./commands/db/migrate-down'),
          status: () => import('./commands/db/migrate-status'),
        },
      },
      check: () => import('./commands/db/check'),
      report: () => import('./commands/db/report'),
      vacuum: () => import('./commands/db/vacuum'),
    },
  },
  setup: {
    summary: "Configure Lodeline in an agent's settings",
    verbs: {
      claude: () => import('./commands/setup/claude'),
      codex: () => import('./commands/setup/codex'),
      copilot: () => import('./commands/setup/copilot'),
      opencode: () => import('./commands/setup/opencode'),
      pi: () => import('./commands/setup/pi'),
    },
  },
  service: {
    summary: 'Start Lodeline at each login',
    verbs: {
      install: () => import('./commands/service/install'),
      status: () => import('./commands/service/status'),
      remove: () => import('./commands/service/remove'),
      logs: () => import('./commands/service/logs'),
    },
  },
  upgrade: () => import('./commands/install/upgrade'),
  uninstall: () => import('./commands/install/uninstall'),
  mcp: () => import('./commands/mcp'),
  completion: () => import('./commands/completion'),
  version: () => import('./commands/version'),
}

/** Run by programs, not by people: not listed and not completed. */
export const HIDDEN_COMMANDS: CommandTree = {
  hook: () => import('./commands/hook'),
  complete: () => import('./commands/complete'),
  statusline: () => import('./commands/statusline'),
  guard: () => import('./commands/guard'),
  bridge: () => import('./commands/sandbox/bridge'),
}
