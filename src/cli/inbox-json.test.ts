import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inboxId } from '../domain/ids'
import { createInboxService } from '../engine/inbox/inbox-service'
import { openStore } from '../store/open'
import { dispatch } from './dispatch'
import { fakeIo } from './kit/fake-io'
import { differences } from './kit/json-shapes'

const home = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function lode(...words: string[]) {
  const io = fakeIo({ env: { HOME: home, LODELINE_HOME: join(home, 'lode') }, cwd: home })
  const code = await dispatch(words, io, new AbortController().signal)
  return { code, out: io.stdout, err: io.stderr }
}
async function answer<T = Record<string, unknown>>(shape: string, ...words: string[]): Promise<T> {
  const { code, out, err } = await lode(...words, '--json')
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  const value: unknown = JSON.parse(out)
  expect(differences(value, `lode ${shape}`, shape)).toEqual([])
  return value as T
}

const EVIL = '\u001b[31mred\u001b[0m\u0007 | # not a heading\r\nsecond line \u202e'
let id = ''
beforeAll(async () => {
  await answer('inbox source add', 'inbox', 'source', 'add', 'helpdesk')
  const store = await openStore({ path: join(home, 'lode/lodeline.db'), mode: 'read-write' })
  const inbox = createInboxService({ store })
  const input = { sender: `Ann ${EVIL.slice(0, 20)}`, text: EVIL, threadKey: 'T1' }
  ;({ id } = await inbox.receive('helpdesk', input, 'one'))
  await inbox.receive('helpdesk', { ...input, text: 'and one more' }, 'two')
  await store.close()
})

test('notifications on the command line answer as the document says', async () => {
  const made = await answer<{ secret: string }>('notify add', 'notify', 'add', 'webhook', 'w', 'https://hooks.example/')
  expect(made.secret).toStartWith('lns_')
  await answer('notify add', 'notify', 'add', 'desktop', 'here', '--pause', '22:00-07:00', '--zone', 'UTC')
  await answer('notify list', 'notify', 'list')
  await answer('notify log', 'notify', 'log')
  await answer('notify remove', 'notify', 'remove', 'w')
})

test('budgets on the command line answer as the document says', async () => {
  await answer('budget add', 'budget', 'add', 'daily', '--usd', '20', '--action', 'park', '--zone', 'UTC')
  await answer('budget allow', 'budget', 'allow', 'daily', '--more', '5')
  await answer('budget list', 'budget', 'list')
  await answer('budget remove', 'budget', 'remove', 'daily')
})

test('the inbox on the command line answers as the document says', async () => {
  const { messages } = await answer<{ messages: { id: string }[] }>('inbox list', 'inbox', 'list')
  expect(messages).toHaveLength(2)
  const { needs } = await answer<{ needs: { kind: string; inboxId: string }[] }>('status', 'status')
  expect(needs.map(({ kind, inboxId }) => [kind, inboxId])).toEqual(messages.map((one) => ['request', one.id]))
  const made = await answer<{ task: { id: string; text: string } }>(
    'inbox delegate',
    'inbox',
    'delegate',
    id,
    'Look at it',
  )
  const later = messages.find((one) => one.id !== id)?.id ?? ''
  const refused = await lode('inbox', 'delegate', later, 'Look again')
  expect(refused.code).not.toBe(0)
  expect(refused.err).toContain(`--parent ${made.task.id}`)
  await answer('inbox delegate', 'inbox', 'delegate', later, 'Look again', '--parent', made.task.id)
  await answer('inbox show', 'inbox', 'show', id)
  await answer('inbox reply', 'inbox', 'reply', id, 'seen')
  await answer('inbox close', 'inbox', 'close', id)
  const { secret } = await answer<{ secret: string | null }>('inbox source add', 'inbox', 'source', 'add', 'helpdesk')
  expect(secret).toBe(null)
  await answer('inbox source list', 'inbox', 'source', 'list')
  const status = await answer<{ needsYou: object }>('status', 'status')
  expect(status.needsYou).toEqual({
    questions: 0,
    waiting: 0,
    failures: 0,
    requests: 0,
    stuck: 0,
    lost: 0,
    untaken: 0,
    unread: 0,
    messages: 0,
  })
})

test('what strangers wrote moves no cursor', async () => {
  for (const words of [
    ['inbox', 'list'],
    ['inbox', 'show', id],
  ]) {
    const { code, out } = await lode(...words)
    expect(code).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  }
})

test('messages on the command line answer as the document says', async () => {
  const { task } = await answer<{ task: { id: string } }>('task create', 'task', 'create', 'be there')
  const sent = await answer<{ message: { id: string } }>('message send', 'message', 'send', task.id, 'Use the new API')
  const list = await answer<{ messages: { id: string }[] }>('message list', 'message', 'list', '--to', task.id)
  expect(list.messages.map((one) => one.id)).toEqual([sent.message.id])
  await answer('message show', 'message', 'show', sent.message.id)
  expect((await lode('message', 'list', '--to', task.id)).out).toContain('Use the new API')
  await answer('message withdraw', 'message', 'withdraw', sent.message.id)
  expect((await lode('message', 'send', '-', 'to whom?')).code).not.toBe(0)
})

test('says what is not there', async () => {
  for (const words of [
    ['inbox', 'show', inboxId('i-nothing0')],
    ['inbox', 'source', 'remove', 'nobody'],
    ['inbox', 'source', 'add', '../x'],
    ['inbox', 'source', 'add', 'x', '--callback', 'http://example.com/'],
    ['message', 'send', 'nobody-at-all', 'hello'],
    ['orchestrate'],
    ['orchestrate', 'a', '--resume', 'b'],
  ]) {
    const { code, err } = await lode(...words)
    expect([words.join(' '), code]).not.toEqual([words.join(' '), 0])
    expect(err).not.toBe('')
  }
})
