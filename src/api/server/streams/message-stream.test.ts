import { expect, test } from 'bun:test'
import { address, messageId } from '../../../domain/ids'
import type { Message, MessageStatus } from '../../../domain/message/message'
import { secretMask } from '../../../domain/secrets/mask'
import { messageStream } from './message-stream'
import type { MessageFollower } from './message-watch'

const to = address('t-00000001')
const id = messageId(crypto.randomUUID())
const at = (status: MessageStatus): Message => ({
  seq: 1,
  id,
  to,
  cause: 'test',
  kind: 'message',
  status,
  route: null,
  taskId: null,
  replyTo: null,
  wantsReply: false,
  isCut: false,
  fullAt: null,
  evidence: null,
  text: 'one',
  from: { kind: 'person', address: null, name: 'ann' },
  createdAt: '2026-01-01T00:00:00.000Z',
  queuedAt: null,
  deliveredAt: null,
  consumedAt: null,
})

test('what changes while a message is being read is told behind it', async () => {
  let status: MessageStatus = 'produced'
  let follower: MessageFollower | undefined
  const messages = {
    async list() {
      const row = at(status)
      // The next move is committed, and heard of, between the reading and its answer.
      status = 'consumed'
      follower?.changed({ id, status })
      return { rows: [row], nextCursor: null }
    },
    find: async () => at(status),
    newest: async () => [],
  }
  const watch = {
    join(_at: string, one: MessageFollower) {
      follower = one
      return { ready: async () => {}, leave() {} }
    },
  }
  const end = new AbortController()
  const stream = messageStream(messages, watch, {
    at: to,
    after: 0,
    isBack: false,
    checkIntervalMs: 60_000,
    heartbeatMs: 60_000,
    stallMs: 60_000,
    mask: secretMask(),
    signal: end.signal,
    onEnd() {},
  })
  const decoder = new TextDecoder()
  let said = ''
  for await (const chunk of stream) {
    said += decoder.decode(chunk, { stream: true })
    if (said.includes('"consumed"')) break
  }
  end.abort()
  expect(said.match(/^event: .*|"status":"\w+"/gm)).toEqual([
    'event: message',
    '"status":"produced"',
    'event: update',
    '"status":"consumed"',
  ])
})
