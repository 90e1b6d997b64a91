import type { Config } from '../../config/load'
import type { SearchResult } from '../../domain/conversation/event-store'
import type { TreeRequest } from '../../domain/overview/tree-level'
import { NEWEST_FIRST } from '../../domain/session/session-list'
import type { Store } from '../../domain/store'
import { threadUrl } from '../../util/thread-url'
import type { KeptStore } from './record-engine'
import { ThreadClient } from './thread-call'

/** The store as the server's main loop sees it: quick reads here, long ones in a thread that starts with the first of them. */
export function threadedStore(store: KeptStore, place: Pick<Config, 'home' | 'blobs'>): KeptStore {
  let opened: Promise<ThreadClient> | undefined
  const reader = (): Promise<ThreadClient> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const open = async (): Promise<ThreadClient> => {
    const client = new ThreadClient(threadUrl('app/threads/read-thread'), () => {
      opened = undefined
    })
    await client.call('open', [place])
    return client
  }
  const ask = async <T>(method: string, ...args: unknown[]): Promise<T> => (await reader()).call<T>(method, args)
  const diagnostics: Store['diagnostics'] = {
    epoch: () => store.diagnostics.epoch(),
    readiness: () => store.diagnostics.readiness(),
    queue: () => store.diagnostics.queue(),
    recordKinds: () => ask('recordKinds'),
    agentVersions: () => ask('agentVersions'),
    malformedLines: (limit) => ask('malformedLines', limit),
    storage: () => ask('storage'),
  }
  return {
    ids: store.ids,
    sessions: sessionReads(store.sessions, ask),
    conversations: {
      ...store.conversations,
      sharedLines: (a, b) => ask('sharedLines', a, b),
      countLines: (session, range) => ask('countLines', session, range),
      turnSpans: (session, limit) => ask('turnSpans', session, limit),
      toolSpans: (session, nodes) => ask('toolSpans', session, nodes),
    },
    subagents: store.subagents,
    runs: store.runs,
    shells: store.shells,
    toolUses: store.toolUses,
    todos: store.todos,
    links: store.links,
    retention: { oldSessions: (before, linkFrom) => ask('oldSessions', before, linkFrom) },
    feed: store.feed,
    workCopies: store.workCopies,
    views: store.views,
    packs: store.packs,
    handoffs: store.handoffs,
    notified: store.notified,
    journals: store.journals,
    diagnostics,
    tasks: store.tasks,
    issues: store.issues,
    recall: store.recall,
    messages: store.messages,
    inbox: store.inbox,
    registry: store.registry,
    tokens: store.tokens,
    users: store.users,
    manifests: store.manifests,
    launches: store.launches,
    outputs: store.outputs,
    overview: store.overview,
    // What sums up the whole record goes through much of it; what stands in one task or session is little.
    tree: { level: (request) => (isWide(request.under) ? ask('treeLevel', request) : store.tree.level(request)) },
    costs: {
      ...store.costs,
      sum: (request) => ask('sumCosts', request),
      overTime: (request) => ask('costsOverTime', request),
    },
    days: {
      lanes: (scope) => ask('dayLanes', scope),
      moment: (scope, request) => ask('dayMoment', scope, request),
    },
    fleet: store.fleet,
    audit: store.audit,
    secrets: store.secrets,
    notify: store.notify,
    budgets: store.budgets,
    events: {
      list: (filter, page) => store.events.list(filter, page),
      find: (session, id) => store.events.find(session, id),
      locate: (session, id) => store.events.locate(session, id),
      search: (text, options) => ask<SearchResult>('search', text, options),
    },
    write: (unit, options) => store.write(unit, options),
    maintain: (task) => store.maintain(task),
    async close() {
      await (await opened?.catch(() => undefined))?.end()
      await store.close()
    },
  }
}

/** Counts, and orders and filters that no small index knows, go through all sessions. */
function sessionReads(
  here: Store['sessions'],
  ask: <T>(method: string, ...args: unknown[]) => Promise<T>,
): Store['sessions'] {
  const list: Store['sessions']['list'] = (filter, page, order = NEWEST_FIRST) =>
    order.by === 'active' && !THROUGH_ALL.some((name) => filter[name] !== undefined)
      ? here.list(filter, page, order)
      : ask('listSessions', filter, page, order)
  return {
    list,
    facets: (filter) => ask('sessionFacets', filter),
    outcome: (id) => here.outcome(id),
    step: (id, request) => ask('stepInSession', id, request),
    edits: (...asked) => here.edits(...asked),
    find: (id) => here.find(id),
    asking: () => here.asking(),
    matchPrefix: (prefix) => here.matchPrefix(prefix),
    count: () => here.count(),
    countByAgent: () => here.countByAgent(),
    aliveOn: (host) => here.aliveOn(host),
    isTombstoned: (kind, value) => here.isTombstoned(kind, value),
  }
}

const THROUGH_ALL = ['model', 'branch', 'host', 'person', 'errors', 'cost', 'length'] as const

const isWide = (under: TreeRequest['under']): boolean => under === null || under.kind === 'project'
