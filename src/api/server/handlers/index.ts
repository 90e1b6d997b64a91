import type { Handlers } from '../handler'
import { listEvents, listSessionEvents, searchEvents, showEvent } from './events'
import { exportSession } from './export'
import { feedPage, followFeed } from './feed'
import { claudeCodeHook } from './hooks'
import { doctor, health, status } from './service'
import { forgetSession, listSessions, sessionJournals, sessionTree, showSession } from './sessions'
import { listSubagents, showSubagent } from './subagents'
import { listTodos } from './todos'
import { importPaths, rebuild } from './work'

/** Who answers what. */
export const HANDLERS: Handlers = {
  health,
  status,
  'sessions.list': listSessions,
  'sessions.get': showSession,
  'sessions.forget': forgetSession,
  'sessions.tree': sessionTree,
  'sessions.events': listSessionEvents,
  'sessions.event': showEvent,
  'sessions.journals': sessionJournals,
  'sessions.export': exportSession,
  'events.list': listEvents,
  'subagents.list': listSubagents,
  'subagents.get': showSubagent,
  'todos.list': listTodos,
  search: searchEvents,
  'feed.follow': followFeed,
  'feed.page': feedPage,
  doctor,
  import: importPaths,
  rebuild,
  'hooks.claudeCode': claudeCodeHook,
  // Loaded when asked for: it makes every schema of the contract.
  openapi: async (_call, { version }) => (await import('../openapi')).openApiDocument(version),
}
