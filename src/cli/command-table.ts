// Written by scripts/generate-commands.ts from the files below src/cli/commands: run `npm run generate`.
// Help lists commands in the order of this file. Move lines to change it; a new command comes last in its group.
import { BD, GROUPS } from './command-groups'
import type { CommandTree } from './kit/command'

export const COMMANDS: CommandTree = {
  up: () => import('./commands/server/up'),
  serve: () => import('./commands/server/serve'),
  status: () => import('./commands/server/status'),
  digest: () => import('./commands/digest'),
  top: () => import('./commands/top'),
  open: () => import('./commands/open'),
  task: {
    summary: GROUPS.task,
    verbs: {
      create: () => import('./commands/task/create'),
      list: () => import('./commands/task/list'),
      show: () => import('./commands/task/show'),
      tree: () => import('./commands/task/tree'),
      log: () => import('./commands/task/log'),
      wait: () => import('./commands/task/wait'),
      input: () => import('./commands/task/input'),
      open: () => import('./commands/task/open'),
      diff: () => import('./commands/task/branch/diff'),
      merge: () => import('./commands/task/branch/merge'),
      drop: () => import('./commands/task/branch/drop'),
      edit: () => import('./commands/task/edit'),
      pause: () => import('./commands/task/pause'),
      resume: () => import('./commands/task/resume'),
      cancel: () => import('./commands/task/cancel'),
      deploy: () => import('./commands/task/deploy'),
      retry: () => import('./commands/task/retry'),
      release: () => import('./commands/task/release'),
      offer: () => import('./commands/task/offer/offer'),
      accept: () => import('./commands/task/offer/accept'),
      reject: () => import('./commands/task/offer/reject'),
    },
  },
  run: () => import('./commands/run/run'),
  orchestrate: () => import('./commands/run/orchestrate'),
  question: {
    summary: GROUPS.question,
    verbs: {
      list: () => import('./commands/question/list'),
      answer: () => import('./commands/question/answer'),
    },
  },
  need: {
    summary: GROUPS.need,
    verbs: {
      list: () => import('./commands/need/list'),
      dismiss: () => import('./commands/need/dismiss'),
      snooze: () => import('./commands/need/snooze'),
    },
  },
  issue: {
    summary: GROUPS.issue,
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
        summary: GROUPS['issue/status'],
        verbs: {
          list: () => import('./commands/issue/status/list'),
          add: () => import('./commands/issue/status/add'),
          remove: () => import('./commands/issue/status/remove'),
        },
      },
    },
  },
  bd: BD,
  dep: {
    summary: GROUPS.dep,
    verbs: {
      add: () => import('./commands/dep/add'),
      remove: () => import('./commands/dep/remove'),
      list: () => import('./commands/dep/list'),
      tree: () => import('./commands/dep/tree'),
      cycles: () => import('./commands/dep/cycles'),
    },
  },
  label: {
    summary: GROUPS.label,
    verbs: {
      add: () => import('./commands/label/add'),
      remove: () => import('./commands/label/remove'),
      list: () => import('./commands/label/list'),
    },
  },
  comment: {
    summary: GROUPS.comment,
    verbs: {
      add: () => import('./commands/comment/add'),
      list: () => import('./commands/comment/list'),
    },
  },
  epic: {
    summary: GROUPS.epic,
    verbs: {
      create: () => import('./commands/epic/create'),
      list: () => import('./commands/epic/list'),
      show: () => import('./commands/epic/show'),
      add: () => import('./commands/epic/add'),
      status: () => import('./commands/epic/status'),
    },
  },
  agent: {
    summary: GROUPS.agent,
    verbs: {
      list: () => import('./commands/agent/list'),
      show: () => import('./commands/agent/show'),
      add: () => import('./commands/agent/add'),
    },
  },
  machine: {
    summary: GROUPS.machine,
    verbs: {
      list: () => import('./commands/machine/list'),
      show: () => import('./commands/machine/show'),
      add: () => import('./commands/machine/add'),
      upgrade: () => import('./commands/machine/upgrade'),
      drain: () => import('./commands/machine/drain'),
      resume: () => import('./commands/machine/resume'),
      remove: () => import('./commands/machine/remove'),
    },
  },
  worker: {
    summary: GROUPS.worker,
    verbs: {
      enroll: () => import('./commands/worker/enroll'),
      list: () => import('./commands/worker/list'),
      enter: () => import('./commands/worker/enter'),
      revoke: () => import('./commands/worker/revoke'),
    },
  },
  token: {
    summary: GROUPS.token,
    verbs: {
      create: () => import('./commands/token/create'),
      list: () => import('./commands/token/list'),
      revoke: () => import('./commands/token/revoke'),
      rotate: () => import('./commands/token/rotate'),
    },
  },
  share: {
    summary: GROUPS.share,
    verbs: {
      create: () => import('./commands/share/create'),
      list: () => import('./commands/share/list'),
      revoke: () => import('./commands/share/revoke'),
    },
  },
  user: {
    summary: GROUPS.user,
    verbs: {
      add: () => import('./commands/user/add'),
      list: () => import('./commands/user/list'),
      edit: () => import('./commands/user/edit'),
      remove: () => import('./commands/user/remove'),
      code: () => import('./commands/user/code'),
    },
  },
  cost: {
    summary: GROUPS.cost,
    verbs: {
      list: () => import('./commands/cost/list'),
      'over-time': () => import('./commands/cost/over-time'),
    },
  },
  budget: {
    summary: GROUPS.budget,
    verbs: {
      add: () => import('./commands/budget/add'),
      list: () => import('./commands/budget/list'),
      allow: () => import('./commands/budget/allow'),
      remove: () => import('./commands/budget/remove'),
    },
  },
  plan: {
    summary: GROUPS.plan,
    verbs: {
      create: () => import('./commands/plan/create'),
      show: () => import('./commands/plan/show'),
    },
  },
  message: {
    summary: GROUPS.message,
    verbs: {
      send: () => import('./commands/message/send'),
      list: () => import('./commands/message/list'),
      show: () => import('./commands/message/show'),
      withdraw: () => import('./commands/message/withdraw'),
    },
  },
  audit: {
    summary: GROUPS.audit,
    verbs: {
      list: () => import('./commands/audit/list'),
      verify: () => import('./commands/audit/verify'),
    },
  },
  backup: () => import('./commands/keep/backup'),
  restore: () => import('./commands/keep/restore'),
  retention: () => import('./commands/keep/retention'),
  secret: {
    summary: GROUPS.secret,
    verbs: {
      scan: () => import('./commands/secret/scan'),
      erase: () => import('./commands/secret/erase'),
    },
  },
  inbox: {
    summary: GROUPS.inbox,
    verbs: {
      list: () => import('./commands/inbox/list'),
      show: () => import('./commands/inbox/show'),
      delegate: () => import('./commands/inbox/delegate'),
      reply: () => import('./commands/inbox/reply'),
      close: () => import('./commands/inbox/close'),
      source: {
        summary: GROUPS['inbox/source'],
        verbs: {
          add: () => import('./commands/inbox/source/add'),
          list: () => import('./commands/inbox/source/list'),
          remove: () => import('./commands/inbox/source/remove'),
        },
      },
    },
  },
  notify: {
    summary: GROUPS.notify,
    verbs: {
      add: () => import('./commands/notify/add'),
      list: () => import('./commands/notify/list'),
      test: () => import('./commands/notify/test'),
      log: () => import('./commands/notify/log'),
      remove: () => import('./commands/notify/remove'),
    },
  },
  work: () => import('./commands/run/work'),
  session: {
    summary: GROUPS.session,
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
    summary: GROUPS.event,
    verbs: {
      list: () => import('./commands/event/list'),
      show: () => import('./commands/event/show'),
    },
  },
  subagent: {
    summary: GROUPS.subagent,
    verbs: {
      list: () => import('./commands/subagent/list'),
      show: () => import('./commands/subagent/show'),
      output: () => import('./commands/subagent/output'),
      stop: () => import('./commands/subagent/stop'),
      'mark-read': () => import('./commands/subagent/mark-read'),
    },
  },
  todo: {
    summary: GROUPS.todo,
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
  prime: () => import('./commands/recall/prime'),
  handoff: () => import('./commands/recall/handoff'),
  recover: () => import('./commands/recall/recover'),
  search: () => import('./commands/record/search'),
  feed: () => import('./commands/record/feed'),
  import: () => import('./commands/record/import'),
  rebuild: () => import('./commands/record/rebuild'),
  doctor: () => import('./commands/doctor'),
  config: {
    summary: GROUPS.config,
    verbs: {
      list: () => import('./commands/config/list'),
      get: () => import('./commands/config/get'),
      set: () => import('./commands/config/set'),
      path: () => import('./commands/config/path'),
    },
  },
  db: {
    summary: GROUPS.db,
    verbs: {
      migrate: {
        summary: GROUPS['db/migrate'],
        verbs: {
          up: () => import('./commands/db/migrate/up'),
          down: () => import('./commands/db/migrate/down'),
          status: () => import('./commands/db/migrate/status'),
        },
      },
      check: () => import('./commands/db/check'),
      report: () => import('./commands/db/report'),
      vacuum: () => import('./commands/db/vacuum'),
    },
  },
  setup: {
    summary: GROUPS.setup,
    verbs: {
      claude: () => import('./commands/setup/claude'),
      codex: () => import('./commands/setup/codex'),
      copilot: () => import('./commands/setup/copilot'),
      opencode: () => import('./commands/setup/opencode'),
      pi: () => import('./commands/setup/pi'),
    },
  },
  service: {
    summary: GROUPS.service,
    verbs: {
      install: () => import('./commands/service/install'),
      status: () => import('./commands/service/status'),
      restart: () => import('./commands/service/restart'),
      remove: () => import('./commands/service/remove'),
      logs: () => import('./commands/service/logs'),
    },
  },
  upgrade: () => import('./commands/install/upgrade'),
  uninstall: () => import('./commands/install/uninstall'),
  mcp: () => import('./commands/mcp'),
  completion: () => import('./commands/completion/completion'),
  version: () => import('./commands/version'),
  workspace: {
    summary: GROUPS.workspace,
    verbs: {
      create: () => import('./commands/workspace/create'),
      list: () => import('./commands/workspace/list'),
      remove: () => import('./commands/workspace/remove'),
    },
  },
}

export const HIDDEN_COMMANDS: CommandTree = {
  hook: () => import('./commands/hook'),
  complete: () => import('./commands/completion/complete'),
  statusline: () => import('./commands/statusline'),
  guard: () => import('./commands/run/guard'),
  bridge: () => import('./commands/run/bridge'),
}
