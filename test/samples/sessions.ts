import { NO_USAGE } from '../../src/domain/cost/usage'
import { sessionId, subagentId, todoId } from '../../src/domain/ids'
import type { Subagent } from '../../src/domain/session/session'
import type { Todo } from '../../src/domain/todo/todo-item'

/** A uuid that begins with this number. */
export const idNumber = (n: number) => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`

export function someSubagent(session: string, id: string, given: Partial<Subagent> = {}): Subagent {
  return {
    id: subagentId(id),
    sessionId: sessionId(session),
    kind: 'agent',
    toolUseId: null,
    parentToolUseId: null,
    parentId: null,
    depth: null,
    type: null,
    description: null,
    model: null,
    background: false,
    status: 'unknown',
    statusEvidence: '',
    evidence: [],
    isContradicted: false,
    outputFile: null,
    reportedTokens: null,
    startedAt: null,
    endedAt: null,
    lastEventAt: null,
    resultPreview: null,
    counts: { events: 0, toolCalls: 0 },
    usage: NO_USAGE,
    costUsd: null,
    isEstimate: false,
    ...given,
  }
}

export function someTodo(session: string, id: string, given: Partial<Todo> = {}): Todo {
  return {
    id: todoId(id),
    listId: 'l',
    sessionId: sessionId(session),
    subagentId: null,
    nativeId: null,
    ordinal: 0,
    content: 'c',
    activeForm: null,
    description: null,
    owner: null,
    blockedBy: [],
    status: 'pending',
    createdAt: null,
    updatedAt: null,
    completedAt: null,
    completedBy: null,
    changedBy: null,
    leftOpen: false,
    promotedTo: null,
    takenBy: null,
    ...given,
  }
}
