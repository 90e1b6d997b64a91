import { NO_USAGE } from '../../domain/cost/usage'
import { eventId, sessionId, subagentId, todoId, toolUseId } from '../../domain/ids'
import type { ConversationEvent, Session, Subagent, TreeNode } from '../../domain/session/session'
import type { Todo } from '../../domain/todo/todo-item'
import { NOW } from '../kit/fake-io'

/** Records for golden texts. Times are given in seconds before `NOW`. */
export const secondsAgo = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString()

export const usage = (tokens: number) => ({
  ...NO_USAGE,
  inputTokens: tokens - Math.floor(tokens / 10),
  outputTokens: Math.floor(tokens / 10),
})

export function session(changes: Partial<Session> = {}): Session {
  return {
    id: sessionId('3f2a9c1e-5b1d-4c7e-9a55-0d6f3a1b2c3d'),
    agent: 'some-agent',
    project: '/home/ann/shop',
    cwd: '/home/ann/shop/web',
    status: 'running',
    statusEvidence: 'transcript:tool_call 2 s ago',
    resumedFrom: null,
    forkedFrom: null,
    translatedFrom: null,
    clearedFrom: null,
    startedAt: secondsAgo(3_700),
    endedAt: null,
    lastEventAt: secondsAgo(2),
    model: 'claude-sonnet-4-5',
    title: 'Fix the login redirect',
    gitBranch: 'main',
    agentVersion: '2.1.328',
    host: 'desk',
    lastWords: 'The login redirects again.',
    counts: {
      events: 1_234,
      toolCalls: 56,
      errors: 2,
      filesChanged: 4,
      subagents: 3,
      unknownAgents: 0,
      compactions: 1,
      malformedLines: 0,
    },
    usage: usage(41_000),
    usageMain: usage(26_000),
    costUsd: 1.234,
    isEstimate: false,
    ...changes,
  }
}

export function subagent(id: string, changes: Partial<Subagent> = {}): Subagent {
  return {
    id: subagentId(id),
    sessionId: session().id,
    kind: 'agent',
    toolUseId: toolUseId(`toolu_${id}`),
    parentToolUseId: null,
    parentId: null,
    depth: 1,
    type: 'general-purpose',
    description: 'Write the tests',
    model: null,
    background: false,
    status: 'running',
    statusEvidence: 'transcript:tool_call 2 s ago',
    evidence: [],
    isContradicted: false,
    outputFile: null,
    reportedTokens: null,
    startedAt: secondsAgo(60),
    endedAt: null,
    lastEventAt: secondsAgo(5),
    resultPreview: null,
    counts: { events: 4, toolCalls: 1 },
    usage: usage(3_100),
    costUsd: null,
    isEstimate: false,
    ...changes,
  }
}

export function node(agent: Subagent | null, changes: Partial<TreeNode> = {}): TreeNode {
  return {
    subagent: agent,
    runningTools: [],
    todos: { completed: 0, total: 0, current: null },
    usage: agent?.usage ?? usage(26_000),
    lastEventAt: agent?.lastEventAt ?? secondsAgo(2),
    children: [],
    ...changes,
  }
}

export function todo(changes: Partial<Todo> = {}): Todo {
  return {
    id: todoId('cct-1'),
    listId: 'tasks',
    sessionId: session().id,
    subagentId: null,
    nativeId: '1',
    ordinal: 0,
    content: 'Write tests',
    activeForm: 'Writing tests',
    description: null,
    owner: null,
    blockedBy: [],
    status: 'pending',
    createdAt: secondsAgo(600),
    updatedAt: secondsAgo(90),
    completedAt: null,
    completedBy: null,
    changedBy: null,
    leftOpen: false,
    promotedTo: null,
    takenBy: null,
    ...changes,
  }
}

export function event(changes: Partial<ConversationEvent> = {}): ConversationEvent {
  return {
    id: eventId('0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b'),
    sessionId: session().id,
    type: 'text',
    role: 'assistant',
    at: null,
    subagentId: null,
    parentToolUseId: null,
    toolUseId: null,
    toolName: null,
    text: 'All tests pass.',
    isCut: false,
    inherited: false,
    ...changes,
  }
}
