import { expect, test } from 'bun:test'
import { RESPONSES } from './responses'
import { ROUTES } from './routes'
import { ConversationEvent } from './schemas/event'
import { FeedEntry } from './schemas/feed'
import { ErrorBody, ImportTotals } from './schemas/service'
import { Session, Subagent } from './schemas/session'
import { Todo } from './schemas/todo-item'

test('methods and paths are pinned: scripts and hooks rely on them', () => {
  expect(Object.values(ROUTES).map(({ method, path, access }) => `${method} ${path} ${access}`)).toEqual([
    'GET /api/health public',
    'GET /api/status operator',
    'GET /api/sessions operator',
    'GET /api/sessions/:id operator',
    'DELETE /api/sessions/:id operator',
    'GET /api/sessions/:id/tree operator',
    'GET /api/sessions/:id/events operator',
    'GET /api/sessions/:id/events/:eventId operator',
    'GET /api/sessions/:id/journals operator',
    'GET /api/sessions/:id/export operator',
    'GET /api/events operator',
    'GET /api/subagents operator',
    'GET /api/subagents/:id operator',
    'GET /api/todos operator',
    'GET /api/search operator',
    'GET /api/feed operator',
    'GET /api/feed/page operator',
    'GET /api/doctor operator',
    'POST /api/import operator',
    'POST /api/rebuild operator',
    'POST /hooks/claude-code operator',
    'GET /api/openapi.json operator',
  ])
})

const fields = (schema: { shape: object }) => Object.keys(schema.shape).join(' ')

test('the fields of what is answered are pinned', () => {
  expect(fields(Session)).toBe(
    'id agent project cwd status statusEvidence resumedFrom forkedFrom startedAt endedAt lastEventAt model title gitBranch agentVersion host counts usage usageMain costUsd',
  )
  expect(fields(Session.shape.counts)).toBe('events toolCalls subagents compactions malformedLines')
  expect(fields(Session.shape.usage)).toBe('inputTokens outputTokens cacheReadTokens cacheCreationTokens')
  expect(fields(Subagent)).toBe(
    'id sessionId kind toolUseId parentToolUseId parentId depth type description model background status statusEvidence evidence outputFile startedAt endedAt lastEventAt resultPreview counts usage costUsd',
  )
  expect(fields(Todo)).toBe(
    'id listId sessionId subagentId nativeId ordinal content activeForm description owner blockedBy status createdAt updatedAt completedAt',
  )
  expect(fields(ConversationEvent)).toBe(
    'id sessionId type role at subagentId parentToolUseId toolUseId toolName text isCut inherited',
  )
  expect(fields(FeedEntry)).toBe('seq at kind sessionId data')
  expect(fields(ImportTotals)).toBe('files bytes sessions events malformedLines durationMs problems')
  expect(fields(ErrorBody.shape.error)).toBe('code message hint details')
})

test('the documents around them are pinned', () => {
  expect(Object.keys(RESPONSES)).toEqual(Object.keys(ROUTES))
  expect(fields(RESPONSES['sessions.list'])).toBe('sessions nextCursor')
  expect(fields(RESPONSES['sessions.get'])).toBe('session subagents backgroundTasks todos')
  expect(fields(RESPONSES['sessions.tree'])).toBe('session tree')
  expect(fields(RESPONSES['sessions.events'])).toBe('events nextCursor')
  expect(fields(RESPONSES['sessions.event'])).toBe('event line')
  expect(fields(RESPONSES['events.list'])).toBe('events nextCursor')
  expect(fields(RESPONSES['subagents.list'])).toBe('subagents nextCursor')
  expect(fields(RESPONSES['todos.list'])).toBe('todos nextCursor')
  expect(fields(RESPONSES.search)).toBe('hits isTruncated')
  expect(fields(RESPONSES['feed.page'])).toBe('entries nextCursor isEnd')
})
