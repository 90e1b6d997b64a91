import * as z from 'zod/mini'
import type { RouteName } from './routes'
import { EventDetail, EventPage, SearchResult } from './schemas/event'
import { FeedPage } from './schemas/feed'
import { Doctor, Health, ImportTotals, RebuildTotals, Status } from './schemas/service'
import {
  Forgotten,
  JournalList,
  SessionDetail,
  SessionPage,
  SessionTree,
  SubagentDetail,
  SubagentPage,
} from './schemas/session'
import { TodoPage } from './schemas/todo-item'

/**
 * The JSON document of each route's good answer. Handlers and client take its types; its values are loaded to describe the API
 * (OpenAPI) and by tests, never to serve.
 */
export const RESPONSES = {
  health: Health,
  status: Status,
  'sessions.list': SessionPage,
  'sessions.get': SessionDetail,
  'sessions.forget': Forgotten,
  'sessions.tree': SessionTree,
  'sessions.events': EventPage,
  'sessions.event': EventDetail,
  'sessions.journals': JournalList,
  'sessions.export': null,
  'events.list': EventPage,
  'subagents.list': SubagentPage,
  'subagents.get': SubagentDetail,
  'todos.list': TodoPage,
  search: SearchResult,
  'feed.follow': null,
  'feed.page': FeedPage,
  doctor: Doctor,
  import: ImportTotals,
  rebuild: RebuildTotals,
  'hooks.claudeCode': null,
  openapi: z.looseObject({ openapi: z.string() }),
} satisfies Record<RouteName, z.core.$ZodType | null>

/** The JSON document that answers a request; `undefined` where the answer is none. */
export type ResponseOf<Name extends RouteName> = (typeof RESPONSES)[Name] extends z.core.$ZodType
  ? z.output<(typeof RESPONSES)[Name]>
  : undefined
