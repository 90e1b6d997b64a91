import { expect, test } from 'bun:test'
import { hookPayloads, MOST_BYTES } from './mod-facts'

const SESSION = '3f2a9c1e-0000-4000-8000-000000000001'
const agent = (more: object = {}) =>
  JSON.stringify({ kind: 'agent', sessionId: SESSION, agentId: 'a1', toolUseId: 'toolu_1', ...more })

test('a launch becomes a hook with its call and its parent', () => {
  expect(
    hookPayloads(agent({ parentAgentId: 'a0', type: 'Explore', description: 'Look', isBackground: true })),
  ).toEqual([
    {
      hook_event_name: 'LodeAgentSpawn',
      session_id: SESSION,
      agent_id: 'a1',
      agent_type: 'Explore',
      parent_agent_id: 'a0',
      tool_use_id: 'toolu_1',
      description: 'Look',
      is_background: true,
    },
  ])
})

test('what is no fact is left out, and the facts beside it are kept', () => {
  const lines = [
    'no json',
    '[]',
    'null',
    '{"kind":"agent"}',
    agent({ sessionId: '../../etc' }),
    agent({ toolUseId: 'x'.repeat(1_000) }),
    agent({ agentId: 'a\u001b[2J' }),
    '{"kind":"hook","hook_event_name":"Stop"}',
    agent(),
  ]
  expect(hookPayloads(lines.join('\n'))).toHaveLength(1)
})

test('texts are cut, and one request gives at most 100 facts', () => {
  const [payload] = hookPayloads(agent({ description: 'x'.repeat(MOST_BYTES) }))
  expect(payload?.description).toHaveLength(1_000)
  expect(hookPayloads(`${agent()}\n`.repeat(500))).toHaveLength(100)
})
