import type { CommandLoader, CommandTree } from '../kit/command'
import type { Spelling } from './spelling'
import type { Shape } from './verb'

type Answers = typeof import('./answers')
type Spellings = typeof import('./spelling')

/** A command of ours under bd's name, with the shape in which bd answers it. */
function verb(
  name: string,
  load: CommandLoader,
  shape: (answers: Answers) => Shape,
  spelling?: (spellings: Spellings) => Spelling,
): CommandLoader {
  return async () => {
    const [{ command }, { asBd }, answers, spellings] = await Promise.all([
      load(),
      import('./verb'),
      import('./answers'),
      import('./spelling'),
    ])
    return { command: asBd(`lode bd ${name}`, command, shape(answers), spelling?.(spellings)) }
  }
}

const remove = () => import('../commands/dep/remove')

/** The everyday commands of `bd`, in its own spelling. */
export const BD_VERBS: CommandTree = {
  create: async () => ({ command: (await import('./create')).createVerb('lode bd create') }),
  new: async () => ({ command: (await import('./create')).createVerb('lode bd new') }),
  list: () => import('./list'),
  show: async () => ({ command: (await import('./show')).showVerb('lode bd show') }),
  view: async () => ({ command: (await import('./show')).showVerb('lode bd view') }),
  update: verb(
    'update',
    () => import('../commands/issue/update'),
    (a) => a.changed,
    (s) => s.UPDATE_SPELLING,
  ),
  close: async () => ({ command: (await import('./close')).closeVerb('lode bd close') }),
  done: async () => ({ command: (await import('./close')).closeVerb('lode bd done') }),
  reopen: verb(
    'reopen',
    () => import('../commands/issue/reopen'),
    (a) => a.changed,
  ),
  ready: () => import('./ready'),
  blocked: verb(
    'blocked',
    () => import('../commands/issue/blocked'),
    (a) => a.blocked,
  ),
  search: verb(
    'search',
    () => import('../commands/issue/search'),
    (a) => a.listed,
    (s) => s.LIST_SPELLING,
  ),
  stats: verb(
    'stats',
    () => import('../commands/issue/stats'),
    (a) => a.stats,
  ),
  dep: {
    summary: 'Dependencies',
    elsewhere: { relate: 'lode bd dep add ID OTHER -t related', unrelate: 'lode bd dep remove' },
    verbs: {
      add: verb(
        'dep add',
        () => import('../commands/dep/add'),
        (a) => a.edgeAdded,
      ),
      remove: verb('dep remove', remove, (a) => a.edgeRemoved),
      rm: verb('dep rm', remove, (a) => a.edgeRemoved),
      list: verb(
        'dep list',
        () => import('../commands/dep/list'),
        (a) => a.edges,
      ),
      tree: verb(
        'dep tree',
        () => import('../commands/dep/tree'),
        (a) => a.tree,
      ),
      cycles: verb(
        'dep cycles',
        () => import('../commands/dep/cycles'),
        (a) => a.cycles,
      ),
    },
  },
  label: {
    summary: 'Labels',
    verbs: {
      add: verb(
        'label add',
        () => import('../commands/label/add'),
        (a) => a.labelled('added'),
      ),
      remove: verb(
        'label remove',
        () => import('../commands/label/remove'),
        (a) => a.labelled('removed'),
      ),
      list: verb(
        'label list',
        () => import('../commands/label/list'),
        (a) => a.labels,
      ),
      'list-all': verb(
        'label list-all',
        () => import('../commands/label/list'),
        (a) => a.labels,
      ),
    },
  },
  tasks: {
    summary: "Agents' own to-dos, kept alongside issues",
    verbs: {
      sync: async () => (await import('./tasks')).sync(),
      list: async () => (await import('./tasks')).list(),
      link: async () => (await import('./tasks')).link(),
      unlink: async () => (await import('./tasks')).unlink(),
      finalize: async () => (await import('./tasks')).finalize(),
      export: async () => (await import('./tasks')).exportTasks(),
      promote: async () => (await import('./tasks')).promote(),
    },
  },
  comments: () => import('./comments'),
  comment: verb(
    'comment',
    () => import('../commands/comment/add'),
    (a) => a.commented,
  ),
  prime: () => import('./prime'),
  export: verb(
    'export',
    () => import('../commands/issue/export'),
    (a) => a.asItIs,
    (s) => s.EXPORT_SPELLING,
  ),
  import: verb(
    'import',
    () => import('../commands/issue/import'),
    (a) => a.imported,
  ),
}

/** What bd has and `lode bd` has not, with what comes nearest. */
export const BD_ELSEWHERE: Readonly<Record<string, string>> = {
  sync: 'lode issue sync',
  delete: 'lode issue delete',
  q: 'lode bd create TITLE --silent',
  stale: 'lode issue list --updated-before 30d',
  count: 'lode bd stats',
  status: 'lode bd stats',
  epic: 'lode epic status',
  children: 'lode bd list --parent ID',
  defer: 'lode bd update ID --defer TIME',
  undefer: "lode bd update ID --defer ''",
  note: 'lode bd update ID --append-notes TEXT',
  tag: 'lode bd label add',
  query: 'lode bd list',
  graph: 'lode bd dep tree',
  duplicates: 'lode bd search',
  history: 'lode bd show',
  setup: 'lode setup claude',
  onboard: 'lode setup claude',
  quickstart: 'lode bd prime',
  remember: 'lode handoff',
  init: 'lode bd create',
  doctor: 'lode doctor',
  config: 'lode config list',
  version: 'lode version',
  help: 'lode bd --help',
}
