import { expect, test } from 'bun:test'
import { recordCopy } from '../../src/app/backup/record-copy'
import { auditSettings } from '../../src/app/server/audit-settings'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import type { ConfigEntry } from '../../src/config/load'
import { AUDIT_ACT_NAMES, type AuditAct, type AuditLine } from '../../src/domain/audit'
import { incarnationKey, sessionId } from '../../src/domain/ids'
import { createAuditService } from '../../src/engine/audit/audit-service'
import { createBudgetService } from '../../src/engine/budgets/budget-service'
import { createInboxService } from '../../src/engine/inbox/inbox-service'
import { createNotifyService } from '../../src/engine/notify/notify-service'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { createUserService } from '../../src/engine/users/user-service'
import { uuidText } from '../../src/util/uuid'
import { KeptLog, overHttp, TOKEN } from '../api/start-api'
import { type ContractDatabase, onEachDatabase } from '../store-contract/databases'
import { freshId, sampleEvent, sampleSession } from '../store-contract/sample'
import { Crew, OPERATOR } from '../tasks/crew'

/** An address of a range for documents alone: requests of this file seem to come from it. */
const PEER = '192.0.2.7'

const SETTINGS = [{ key: 'worker.allow', value: ['Bash(ls)'], origin: 'user file', source: '/c.yaml' }] as const

/** The API with the real engine over a store, reached as from another machine. */
async function openWorld({ store, place }: ContractDatabase) {
  const api = await overHttp(store, {}, { login: {} })
  const crew = new Crew(store)
  const engine = createRecordEngine(store, { name: 'host', hostname: 'host' })
  const audit = createAuditService({ store })
  const inbox = createInboxService({ store, hasFolder: true })
  const tokens = createTokenService({ store })
  const users = createUserService({ store })
  const notify = createNotifyService({ store })
  const budgets = createBudgetService({ store })
  Object.assign(api.services, {
    tasks: crew.service,
    inbox,
    notify,
    budgets,
    tokens,
    users,
    audit,
    forget: engine.forget,
    eraseSecret: engine.eraseSecret,
  })
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const host = `127.0.0.1:${api.port}`
    const own = { host, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers }
    const request = new Request(`${api.origin}${path}`, {
      method,
      headers: own,
      ...(body && { body: JSON.stringify(body) }),
    })
    return await api.app.fetch(request, { remote: PEER })
  }
  const asked = async () => {
    const worker = await crew.worker(`asks-${crypto.randomUUID()}`)
    const task = await crew.create()
    const given = await worker.take()
    const question = { toolUseId: null, toolName: 'Bash', input: { command: 'ls' }, description: null }
    const { id } = await crew.service.ask(worker.caller, given.attemptId, {
      ...question,
      default: 'deny',
      deadlineMs: 60_000,
    })
    return { id, task, given, worker }
  }
  const session = async () => {
    const id = freshId('audited')
    await store.write((tx) => sampleSession(tx, { id, lines: ['{}'], path: `/t/${id}.jsonl` }))
    return id
  }
  const person = async () => {
    const name = `Ada ${crypto.randomUUID()}`
    await users.add(OPERATOR, { name, role: 'viewer' })
    return name
  }
  return Object.assign(api, {
    audit,
    budgets,
    crew,
    asked,
    inbox,
    notify,
    person,
    place,
    send,
    session,
    store,
    tokens,
    users,
  })
}
type World = Awaited<ReturnType<typeof openWorld>>

/** What does each act, after what has to be there for it. A new act does not compile until it is here. */
const DO: Record<AuditAct, (world: World) => Promise<() => Promise<unknown>>> = {
  'login.code':
    async ({ send }) =>
    () =>
      send('POST', '/api/login/codes', {}),
  'login.enter': async ({ send, users }) => {
    const { code } = await users.makeCode(OPERATOR)
    return () => send('POST', '/api/login', { code }, { authorization: '' })
  },
  'login.refuse':
    async ({ send }) =>
    () =>
      send('POST', '/api/login', { code: 'AAAA-AAAA-AAAA' }, { authorization: '' }),
  'login.leave': async ({ origin, send, users }) => {
    const { code } = await users.makeCode(OPERATOR)
    const entered = await send('POST', '/api/login', { code }, { authorization: '' })
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    return () => send('POST', '/api/logout', {}, { authorization: '', cookie, origin })
  },
  'user.add':
    async ({ send }) =>
    () =>
      send('POST', '/api/users', { name: `Ada ${crypto.randomUUID()}`, role: 'viewer' }),
  'user.edit': async ({ person, send }) => {
    const name = await person()
    return () => send('PATCH', `/api/users/${encodeURIComponent(name)}`, { role: 'approver' })
  },
  'user.remove': async ({ person, send }) => {
    const name = await person()
    return () => send('DELETE', `/api/users/${encodeURIComponent(name)}`)
  },
  'user.code': async ({ person, send }) => {
    const name = await person()
    return () => send('POST', `/api/users/${encodeURIComponent(name)}/codes`, {})
  },
  'agent.join':
    async ({ send }) =>
    () =>
      send('POST', '/api/agents', {
        name: `w-${crypto.randomUUID()}`,
        kind: 'worker',
        capabilities: [],
        concurrency: 1,
        hostname: 'h',
        hostName: 'h-1',
        bootId: 'b',
        isFormerGone: false,
        version: '1',
      }),
  'token.create':
    async ({ send }) =>
    () =>
      send('POST', '/api/tokens', { role: 'viewer', name: 'Ada' }),
  'share.create': async ({ send, session }) => {
    const id = await session()
    return () => send('POST', '/api/shares', { sessionId: id })
  },
  'share.revoke': async ({ send, session, tokens }) => {
    const part = { sessionId: sessionId(await session()), from: 0, until: 0 }
    const { share } = await tokens.share(OPERATOR, part)
    return () => send('DELETE', `/api/shares/${share.id}`)
  },
  'token.revoke': async ({ send, tokens }) => {
    const { token } = await tokens.give(OPERATOR, { role: 'viewer', name: 'Ada' })
    return () => send('DELETE', `/api/tokens/${token.id}`)
  },
  'token.rotate':
    async ({ send }) =>
    () =>
      send('POST', '/api/tokens/rotate', {}),
  'worker.enroll':
    async ({ send }) =>
    () =>
      send('POST', '/api/workers', { name: `w-${crypto.randomUUID()}` }),
  'worker.enter': async ({ send, tokens }) => {
    const { code } = await tokens.enroll(OPERATOR, { name: `w-${crypto.randomUUID()}` })
    const machine = { hostname: 'h', hostName: crypto.randomUUID(), hostKey: 'key' }
    return () => send('POST', '/api/workers/enter', { code, ...machine }, { authorization: '' })
  },
  'worker.revoke': async ({ send, tokens }) => {
    const name = `w-${crypto.randomUUID()}`
    await tokens.enroll(OPERATOR, { name })
    return () => send('DELETE', `/api/workers/${name}`)
  },
  'machine.remove': async ({ send, tokens }) => {
    const name = `w-${crypto.randomUUID()}`
    const { code } = await tokens.enroll(OPERATOR, { name })
    await tokens.enter({ code, hostname: 'h', hostName: crypto.randomUUID(), hostKey: 'key' })
    return () => send('DELETE', `/api/machines/${name}`)
  },
  'question.answer': async ({ asked, send }) => {
    const { id } = await asked()
    return () => send('POST', `/api/questions/${id}/answer`, { behavior: 'deny' })
  },
  'task.permission':
    async ({ send }) =>
    () =>
      send('POST', '/api/tasks', { task: 'x', permissionMode: 'acceptEdits' }),
  'settings.change': async ({ audit, store }) => {
    const log = new KeptLog()
    return () =>
      auditSettings({ store, audit, log, settings: () => SETTINGS as unknown as ConfigEntry[], onSettings: undefined })
  },
  'session.export': async ({ send, session }) => {
    const id = await session()
    return async () => (await send('GET', `/api/sessions/${id}/export`)).arrayBuffer()
  },
  'secret.erase': async ({ send, store }) => {
    const id = freshId('erased')
    const secret = crypto.randomUUID().replaceAll('-', '').slice(0, 16)
    const key = await store.write(
      async (tx) => (await sampleSession(tx, { id, lines: ['{}'], path: `/t/${id}.jsonl` })).key,
    )
    const [journal] = await store.journals.listBySession(sessionId(id))
    const incarnation = incarnationKey(journal?.incarnations[0]?.id ?? 0)
    await store.write(async (tx) => {
      await tx.secrets.addMarks([
        { incarnation, offset: 0, length: 1, id: secret, rule: 'npm-token', preview: 'npm_', session: key, line: null },
      ])
    })
    return () => send('DELETE', `/api/secrets/${secret}`)
  },
  'secret.reveal': async ({ send, store }) => {
    const id = freshId('revealed')
    const uuid = await store.write(async (tx) => {
      const session = await sampleSession(tx, { id, lines: ['{}'], path: `/t/${id}.jsonl` })
      const row = sampleEvent(session)
      await tx.record.insertEvents([row])
      return uuidText(row.uuid)
    })
    return () => send('GET', `/api/sessions/${id}/events/${uuid}?reveal=true`)
  },
  'session.forget': async ({ send, session }) => {
    const id = await session()
    return () => send('DELETE', `/api/sessions/${id}`)
  },
  'backup.make':
    async ({ place }) =>
    () =>
      recordCopy(place, 'backup.make', { isEncrypted: false }),
  'backup.restore':
    async ({ place }) =>
    () =>
      recordCopy(place, 'backup.restore', { version: '1', madeAt: '2026-01-01' }),
  'source.save':
    async ({ send }) =>
    () =>
      send('PUT', `/api/inbox-sources/s-${crypto.randomUUID()}`, {}),
  'source.remove': async ({ inbox, send }) => {
    const name = `s-${crypto.randomUUID()}`
    await inbox.putSource(OPERATOR, { name })
    return () => send('DELETE', `/api/inbox-sources/${name}`)
  },
  'budget.save':
    async ({ send }) =>
    () =>
      send('PUT', `/api/budgets/b-${crypto.randomUUID()}`, { unit: 'usd', most: 1 }),
  'budget.allow': async ({ budgets, send }) => {
    const name = `b-${crypto.randomUUID()}`
    await budgets.put(OPERATOR, { name, unit: 'usd', most: 1 })
    return () => send('POST', `/api/budgets/${name}/allow`, {})
  },
  'budget.remove': async ({ budgets, send }) => {
    const name = `b-${crypto.randomUUID()}`
    await budgets.put(OPERATOR, { name, unit: 'usd', most: 1 })
    return () => send('DELETE', `/api/budgets/${name}`)
  },
  'channel.save':
    async ({ send }) =>
    () =>
      send('PUT', `/api/notify/channels/c-${crypto.randomUUID()}`, { kind: 'desktop' }),
  'channel.remove': async ({ notify, send }) => {
    const name = `c-${crypto.randomUUID()}`
    await notify.put(OPERATOR, { name, kind: 'desktop' })
    return () => send('DELETE', `/api/notify/channels/${name}`)
  },
}

/** Acts that no request does. */
const BY_ITSELF: readonly AuditAct[] = ['settings.change']

/** Acts of commands that need no server: whoever runs them is on this machine. */
const ON_THIS_MACHINE: readonly AuditAct[] = ['backup.make', 'backup.restore']

onEachDatabase((database) => {
  const linesAfter = async (number: number): Promise<AuditLine[]> =>
    (await database.store.audit.list({ after: number }, { limit: 100 })).rows.toReversed()

  test('each act writes exactly one line, which says who did it and from where', async () => {
    await using world = await openWorld(database)
    expect(Object.keys(DO).sort()).toEqual([...AUDIT_ACT_NAMES].sort())
    for (const act of AUDIT_ACT_NAMES) {
      const perform = await DO[act](world)
      const { number } = await database.store.audit.head()
      const answer = await perform()
      if (answer instanceof Response && act !== 'login.refuse') expect([act, answer.ok]).toEqual([act, true])
      const lines = await linesAfter(number)
      expect([act, lines.map((line) => line.act)]).toEqual([act, [act]])
      const { actor } = lines[0] as AuditLine
      const isHere = BY_ITSELF.includes(act) || ON_THIS_MACHINE.includes(act)
      expect([act, actor.peer]).toEqual([act, isHere ? null : PEER])
      const kind = BY_ITSELF.includes(act) ? 'system' : /\.(enter|refuse)$/.test(act) ? 'nobody' : 'operator'
      expect([act, actor.kind]).toEqual([act, kind])
    }
    const check = await world.client.audit.verify()
    expect([check.isWhole, check.problems]).toEqual([true, []])
  })

  test('lines are found by the kind or the name of who did it, page by page', async () => {
    await using world = await openWorld(database)
    const { number } = await database.store.audit.head()
    const name = `a-${crypto.randomUUID().slice(0, 8)}`
    for (const kind of ['worker', 'lead', 'worker'])
      await world.audit.record({ act: 'login.leave', actor: { kind, name, peer: null }, target: null, detail: {} })
    const kinds = async (who: string, limit = 10) => {
      const { lines, nextCursor } = await world.client.audit.list({ who, after: number, limit })
      return [lines.map(({ actor }) => actor.kind), nextCursor !== null]
    }
    expect(await kinds(name)).toEqual([['worker', 'lead', 'worker'], false])
    expect(await kinds('lead')).toEqual([['lead'], false])
    expect(await kinds(name, 2)).toEqual([['worker', 'lead'], true])
    expect(await kinds(`${name}'`)).toEqual([[], false])
    // A span up to now moves on between two pages.
    const since = (ms: number) => new Date(Date.now() - ms).toISOString()
    const first = await world.client.audit.list({ who: name, since: since(60_000), limit: 2 })
    const cursor = first.nextCursor ?? ''
    const next = await world.client.audit.list({ who: name, since: since(59_000), limit: 2, cursor })
    expect(next.lines.map(({ actor }) => actor.kind)).toEqual(['worker'])
  })

  test('an act that is refused, or repeated without effect, writes no line', async () => {
    await using world = await openWorld(database)
    const { id } = await world.asked()
    await world.send('POST', `/api/questions/${id}/answer`, { behavior: 'allow' })
    const { number } = await database.store.audit.head()
    expect((await world.send('POST', `/api/questions/${id}/answer`, { behavior: 'allow' })).status).toBe(200)
    expect((await world.send('POST', `/api/questions/${id}/answer`, { behavior: 'deny' })).status).toBe(409)
    expect((await world.send('DELETE', '/api/inbox-sources/nobody')).status).toBe(404)
    expect((await world.send('DELETE', `/api/sessions/${freshId('unknown')}`)).status).toBe(404)
    expect((await world.send('GET', '/api/audit', undefined, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect(await linesAfter(number)).toEqual([])
  })

  test('an answer that the deadline gives is in the log too, by the program itself', async () => {
    await using world = await openWorld(database)
    const { id } = await world.asked()
    const { number } = await database.store.audit.head()
    world.crew.now += 61_000
    await world.crew.service.sweep()
    const line = (await linesAfter(number)).find(({ target }) => target === id)
    expect(line).toMatchObject({
      act: 'question.answer',
      actor: { kind: 'system' },
      detail: { behavior: 'deny', how: 'expired' },
    })
  })

  test('settings that changed while no server ran are recorded at its start, and not again at the next', async () => {
    const { store } = database
    const audit = createAuditService({ store })
    const start = (value: unknown, origin = 'user file') =>
      auditSettings({
        store,
        audit,
        log: new KeptLog(),
        settings: () => [{ key: 'worker.deny', value, origin, source: null }] as unknown as ConfigEntry[],
        onSettings: undefined,
      })
    const long = [`Bash(${'x'.repeat(5_000)})`]
    await start(long)
    const { number } = await store.audit.head()
    await start(long)
    expect(await linesAfter(number)).toEqual([])
    await start([`Bash(${'x'.repeat(4_999)}y)`])
    await start([], 'default')
    const values = (await linesAfter(number)).map(({ detail }) => detail['worker.deny'])
    expect(values).toEqual([expect.stringMatching(/… sha256 [0-9a-f]{64}"?$/), null])
  })

  test('a change that takes effect while the server runs is recorded', async () => {
    const { store } = database
    const heard: (() => void)[] = []
    let value = ['Read']
    const end = await auditSettings({
      store,
      audit: createAuditService({ store }),
      log: new KeptLog(),
      settings: () =>
        [{ key: 'worker.capabilities', value, origin: 'user file', source: null }] as unknown as ConfigEntry[],
      onSettings: (listener) => {
        heard.push(listener)
        return () => void heard.splice(0)
      },
    })
    const { number } = await store.audit.head()
    value = ['Write']
    for (const listener of heard) listener()
    await end()
    expect((await linesAfter(number)).map(({ detail }) => detail)).toEqual([{ 'worker.capabilities': '["Write"]' }])
  })
})
