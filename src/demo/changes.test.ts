import { expect, test } from 'bun:test'
import { NO_USAGE } from '../domain/cost/usage'
import { sessionId, subagentId, toolUseId } from '../domain/ids'
import type { Session, Subagent, TreeNode } from '../domain/session/session'
import { createChanges } from './changes'

const session: Session = {
  id: sessionId('0f0e0d0c-0000-4000-8000-000000000000'),
  agent: 'claude-code',
  project: null,
  cwd: null,
  status: 'running',
  statusEvidence: '',
  resumedFrom: null,
  forkedFrom: null,
  translatedFrom: null,
  clearedFrom: null,
  startedAt: null,
  endedAt: null,
  lastEventAt: null,
  model: null,
  title: null,
  gitBranch: null,
  agentVersion: null,
  host: null,
  lastWords: null,
  counts: {
    events: 0,
    toolCalls: 0,
    errors: 0,
    filesChanged: 0,
    subagents: 0,
    unknownAgents: 0,
    compactions: 0,
    malformedLines: 0,
  },
  usage: NO_USAGE,
  usageMain: NO_USAGE,
  costUsd: null,
  isEstimate: false,
}

const agent = (id: string, description: string, more: Partial<Subagent> = {}): Subagent => ({
  id: subagentId(id),
  sessionId: session.id,
  kind: 'agent',
  toolUseId: toolUseId(`toolu_${id}`),
  parentToolUseId: null,
  parentId: null,
  depth: 1,
  type: 'general-purpose',
  description,
  model: null,
  background: false,
  status: 'running',
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
  ...more,
})

const node = (
  subagent: Subagent | null,
  children: TreeNode[] = [],
  todos: Partial<TreeNode['todos']> = {},
): TreeNode => ({
  subagent,
  runningTools: [],
  todos: { completed: 0, total: 0, current: null, ...todos },
  usage: NO_USAGE,
  lastEventAt: null,
  children,
})

test('a change is told once, deeper agents further in', () => {
  const changes = createChanges()
  const tree = node(null, [node(agent('a', 'Search'), [node(agent('b', 'Look closer'))])], {
    total: 2,
    current: 'Searching',
  })
  expect(changes(session, tree)).toEqual([
    'session 0f0e0d0c: running',
    'to-dos of 0f0e0d0c: 0 of 2 done, now: Searching',
    'sub-agent "Search": running',
    '  sub-agent "Look closer": running',
  ])
  expect(changes(session, tree)).toEqual([])
  const done = node(null, [node(agent('a', 'Search', { status: 'completed' }), [node(agent('b', 'Look closer'))])], {
    total: 2,
    completed: 1,
  })
  expect(changes({ ...session, status: 'idle' }, done)).toEqual([
    'session 0f0e0d0c: idle',
    'to-dos of 0f0e0d0c: 1 of 2 done',
    'sub-agent "Search": completed',
  ])
})
