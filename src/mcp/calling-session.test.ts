import { expect, test } from 'bun:test'
import { agentId, sessionId, taskId } from '../domain/ids'
import { CALLING_ARGUMENT } from '../domain/session/calling-argument'
import { callerOf } from './calling-session'
import type { ToolHost } from './host'

const HOST: ToolHost = {
  ...{ caller: 'operator', taskId: null, agentId: null, sessionId: null, joined: null },
  place: { hostname: 'h', hostName: 'h', bootId: 'b', version: '1' },
  withClient: async () => {
    throw new Error('nobody asks')
  },
}
const ROOT = '01a20a09-3427-7722-b11c-4096c99205b6'

test('Codex names the session beside the arguments: the root, for a sub-agent too', () => {
  const meta = { sessionId: ROOT, threadId: '01a20a09-3427-7722-b11c-4096c99205b7', itemId: 'c' }
  expect(callerOf(HOST, { a: 1 }, meta)).toMatchObject({ host: { sessionId: ROOT }, args: { a: 1 } })
  expect(callerOf(HOST, {}, { sessionId: '../evil', threadId: 7 }).host.sessionId).toBeNull()
})

test('our plugin names it among the arguments, which the tool does not see', () => {
  const { host, args } = callerOf(HOST, { a: 1, [CALLING_ARGUMENT]: 'ses_1' }, undefined)
  expect([host.sessionId, args]).toEqual([sessionId('ses_1'), { a: 1 }])
  host.joined = agentId('agent-1')
  expect(HOST.joined).toBe(agentId('agent-1'))
  HOST.joined = null
})

test('a run is who its token says, and a process of one session has that', () => {
  const run: ToolHost = { ...HOST, caller: 'attempt', taskId: taskId('t-1') }
  expect(callerOf(run, {}, { sessionId: ROOT }).host).toBe(run)
  const own: ToolHost = { ...HOST, sessionId: sessionId('mine') }
  expect(callerOf(own, null, undefined)).toEqual({ host: own, args: null })
})
