import * as z from 'zod/mini'
import type { RouteName } from './routes'
import { EventDetail, EventPage, SearchResult } from './schemas/event'
import { FeedPage } from './schemas/feed'
import { HandoffList, OneHandoff } from './schemas/handoff'
import { OneQuestion, QuestionPage } from './schemas/question'
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
import {
  CreatedTask,
  EpicDetail,
  EpicPage,
  OneEpic,
  OneTask,
  TaskDetail,
  TaskInput,
  TaskLogPage,
  TaskPage,
  TaskTree,
} from './schemas/task'
import { TodoPage } from './schemas/todo-item'
import {
  AgentDetail,
  AgentList,
  ClaimAnswer,
  JoinAnswer,
  OneAttempt,
  PollAnswer,
  RemoteFileState,
  StreamState,
} from './schemas/worker'

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
  'tasks.create': CreatedTask,
  'tasks.list': TaskPage,
  'tasks.claimNext': ClaimAnswer,
  'tasks.get': TaskDetail,
  'tasks.patch': OneTask,
  'tasks.cancel': OneTask,
  'tasks.pause': OneTask,
  'tasks.resume': OneTask,
  'tasks.retry': OneTask,
  'tasks.offer': OneTask,
  'tasks.accept': OneTask,
  'tasks.reject': OneTask,
  'tasks.release': OneTask,
  'tasks.progress': OneTask,
  'tasks.finish': OneTask,
  'tasks.claim': ClaimAnswer,
  'tasks.input': TaskInput,
  'tasks.setConversation': OneTask,
  'tasks.tree': TaskTree,
  'tasks.log': TaskLogPage,
  'tasks.prompt': null,
  'tasks.recall': null,
  'epics.create': OneEpic,
  'epics.list': EpicPage,
  'epics.get': EpicDetail,
  'epics.createTask': CreatedTask,
  'questions.list': QuestionPage,
  'questions.answer': OneQuestion,
  'agents.list': AgentList,
  'agents.join': JoinAnswer,
  'agents.get': AgentDetail,
  'agents.poll': PollAnswer,
  'attempts.report': OneAttempt,
  'attempts.stream': StreamState,
  'attempts.ask': OneQuestion,
  'sessions.snapshot': null,
  'files.append': RemoteFileState,
  'mcp.send': null,
  'mcp.listen': null,
  'mcp.end': null,
  recall: null,
  'handoffs.create': OneHandoff,
  'handoffs.list': HandoffList,
} satisfies Record<RouteName, z.core.$ZodType | null>

/** The JSON document that answers a request; `undefined` where the answer is none. */
export type ResponseOf<Name extends RouteName> = (typeof RESPONSES)[Name] extends z.core.$ZodType
  ? z.output<(typeof RESPONSES)[Name]>
  : undefined
