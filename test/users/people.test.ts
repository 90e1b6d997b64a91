import { expect, test } from 'bun:test'
import type { Caller } from '../../src/domain/task/worker-protocol'
import { USER_CODE_MS, USER_LIMITS, type UserRole } from '../../src/domain/user/user'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { hashOf } from '../../src/engine/unit/secrets'
import { createUserService } from '../../src/engine/users/user-service'
import { type ContractDatabase, onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR, refused } from '../tasks/crew'

let scenes = 0

/** People of one test: their names hold a word that no other test has. */
function scene({ store }: ContractDatabase) {
  const crew = new Crew(store)
  const users = createUserService({ store, now: () => crew.now })
  const tokens = createTokenService({ store, now: () => crew.now })
  const word = `${++scenes} ${process.pid} ${crypto.randomUUID().slice(0, 8)}`
  const named = (name: string) => `${name} ${word}`
  const add = async (name: string, role: UserRole, by = OPERATOR) =>
    (await users.add(by, { name: named(name), role })).name
  /** The caller that a secret stands for, as a server finds it; `null` = it counts no more. */
  const callerOf = async (secret: string): Promise<Caller | null> => {
    const row = await store.tokens.byToken(hashOf(secret))
    if (row === undefined || row.owner === null || row.userKey === null || row.revokedAt !== null) return null
    const kind = row.owner.role === 'admin' ? 'operator' : row.owner.role
    return { kind, user: { key: row.userKey, name: row.owner.name }, tokenId: row.id }
  }
  const login = async (name: string, by = OPERATOR) =>
    (await users.enter((await users.makeCode(by, name)).code, null)).secret
  const asPerson = async (name: string, role: UserRole, by = OPERATOR): Promise<Caller> =>
    (await callerOf(await login(await add(name, role, by), by))) as Caller
  const counts = async (secret: string) => {
    const row = await store.tokens.byToken(hashOf(secret))
    return row !== undefined && row.revokedAt === null
  }
  return { store, crew, users, tokens, word, named, add, login, asPerson, callerOf, counts }
}

onEachDatabase((database) => {
  test('a name can hide nothing, stand for nobody else, and is not longer than a line', async () => {
    const { users } = scene(database)
    const add = async (name: string) => (await refused(users.add(OPERATOR, { name, role: 'viewer' }))).code
    const hidden = [
      'a\0b',
      'a\nb',
      'a\u001b[31mb',
      'a\u202eb',
      'a\u2066b',
      'a\u200bb',
      'a\ufeffb',
      'a\u00a0b',
      'a\u2028b',
      'a\ud800',
    ]
    for (const name of [...hidden, '', ' ', '-x', '<b>', 'a/b', 'a (operator)', '\u0301a'])
      expect([name, await add(name)]).toEqual([name, 'invalid'])
    for (const name of [
      'operator',
      'Operator',
      'ＳＹＳＴＥＭ',
      'system',
      'rule',
      'admin',
      't-7f3k9q2m',
      'a-7f3k9q2m',
      't-7f3k9q2m.2',
    ])
      expect([name, await add(name)]).toEqual([name, 'invalid'])
    expect(await add('x'.repeat(10_000))).toBe('too_large')
    expect(await add('x'.repeat(USER_LIMITS.name + 1))).toBe('too_large')
  })

  test('names of all scripts are taken, and two that look alike to a reader of letters are one', async () => {
    const { users, named } = scene(database)
    for (const name of ["Zoë O'Neill", '山田 太郎', 'नमिता', 'ada@example.org'])
      expect((await users.add(OPERATOR, { name: named(name), role: 'viewer' })).name).toBe(named(name))
    for (const name of [
      "ZOË O'NEILL",
      "Zoe\u0308 O'Neill",
      "  Zoë   O'Neill",
      'ＡＤＡ＠example.org'.replace('＠', '@'),
    ])
      expect((await refused(users.add(OPERATOR, { name: named(name), role: 'viewer' }))).code).toBe('conflict')
  })

  test('the name of an agent is no name for a person', async () => {
    const { crew, users, named } = scene(database)
    await crew.worker(named('builder'))
    expect((await refused(users.add(OPERATOR, { name: named('builder'), role: 'viewer' }))).code).toBe('conflict')
  })

  test('a name is one person for ever: nobody gets it again after its removal', async () => {
    const { users, add, named, login } = scene(database)
    const ada = await add('Ada', 'approver')
    await login(ada)
    await users.remove(OPERATOR, ada)
    for (const name of ['Ada', 'ADA'])
      expect(await refused(users.add(OPERATOR, { name: named(name), role: 'viewer' }))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('was removed'),
      })
    expect((await refused(users.remove(OPERATOR, ada))).code).toBe('not_found')
    expect((await refused(users.makeCode(OPERATOR, ada))).code).toBe('not_found')
    // What came in by it may be somebody else's now.
    const other = await users.add(OPERATOR, {
      name: named('Bo'),
      role: 'viewer',
      login: `x@${named('y').replaceAll(' ', '')}`,
    })
    await users.remove(OPERATOR, other.name)
    expect((await users.add(OPERATOR, { name: named('Cy'), role: 'viewer', login: other.login })).login).toBe(
      other.login,
    )
  })

  test('a code logs one browser in, once, within a day', async () => {
    const { crew, users, add } = scene(database)
    const ada = await add('Ada', 'viewer')
    const { code } = await users.makeCode(OPERATOR, ada)
    const came = await Promise.allSettled(Array.from({ length: 4 }, () => users.enter(code.toLowerCase(), null)))
    expect(came.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const late = await users.makeCode(OPERATOR, ada)
    crew.now += USER_CODE_MS
    expect((await refused(users.enter(late.code, null))).code).toBe('unauthorized')
  })

  test('a person who is removed has no token, no login and no code, and what an admin gave is gone, by however many hands', async () => {
    const { users, tokens, add, login, asPerson, callerOf, counts, store, crew, named } = scene(database)
    const admin = await asPerson('Admin', 'admin')
    // The admin could log in as this one, by the code that it made, and give more by that login.
    const second = await callerOf(await login(await add('Second', 'admin', admin), admin))
    const other = await add('Other', 'viewer')
    const own = await tokens.give(admin, { user: admin.user?.name ?? '' })
    const given = await tokens.give(admin, { role: 'operator', name: 'CI' })
    const bySecond = await tokens.give(second as Caller, { role: 'viewer', name: 'wall' })
    const browser = await login(other, second as Caller)
    const { code } = await users.makeCode(second as Caller, other)
    const worker = named('w').replaceAll(' ', '-')
    await tokens.enroll(admin, { name: worker })
    const ofOperator = await tokens.give(OPERATOR, { user: other })
    // A person that logs out has lost no right: what it gave goes on until somebody ends the right.
    await users.leave(browser, null)
    for (const { secret } of [own, given, bySecond, ofOperator]) expect(await counts(secret)).toBe(true)
    await users.remove(OPERATOR, admin.user?.name ?? '')
    for (const secret of [own.secret, given.secret, bySecond.secret, browser]) expect(await counts(secret)).toBe(false)
    expect((await refused(users.enter(code, null))).code).toBe('unauthorized')
    expect((await store.tokens.enrollments(crew.now)).find(({ name }) => name === worker)?.state).toBe('revoked')
    expect(await counts(ofOperator.secret)).toBe(true)
    expect((await refused(tokens.give(admin, { role: 'viewer', name: 'late' }))).code).toBe('unauthorized')
  })

  test('an admin who becomes an approver keeps the login, and nothing that it gave', async () => {
    const { users, tokens, asPerson, counts, callerOf, store } = scene(database)
    const admin = await asPerson('Admin', 'admin')
    const name = admin.user?.name ?? ''
    const own = await tokens.give(admin, { user: name })
    const given = await tokens.give(admin, { role: 'operator', name: 'CI' })
    await users.edit(OPERATOR, name, { role: 'approver' })
    expect([await counts(own.secret), await counts(given.secret)]).toEqual([true, false])
    expect((await callerOf(own.secret))?.kind).toBe('approver')
    expect((await refused(tokens.give(admin, { role: 'viewer', name: 'late' }))).code).toBe('unauthorized')
    expect((await store.users.list()).find((user) => user.name === name)?.role).toBe('approver')
  })

  test('access that an admin gives while the admin is removed is refused, or ends with it', async () => {
    const { users, tokens, asPerson, counts } = scene(database)
    for (let turn = 0; turn < 8; turn++) {
      const admin = await asPerson(`Admin${turn}`, 'admin')
      const giving = Array.from({ length: 3 }, () => tokens.give(admin, { role: 'operator', name: 'CI' }))
      const removing = users.remove(OPERATOR, admin.user?.name ?? '')
      const given = await Promise.allSettled([...giving, tokens.give(admin, { role: 'operator', name: 'CI' })])
      await removing
      for (const one of given) if (one.status === 'fulfilled') expect(await counts(one.value.secret)).toBe(false)
    }
  })

  test('only an operator and an admin manage people', async () => {
    const { users, tokens, add, asPerson } = scene(database)
    const ada = await add('Ada', 'viewer')
    for (const caller of [await asPerson('Approver', 'approver'), await asPerson('Viewer', 'viewer')]) {
      for (const call of [
        () => users.add(caller, { name: 'Eve', role: 'admin' }),
        () => users.edit(caller, ada, { role: 'admin' }),
        () => users.remove(caller, ada),
        () => users.makeCode(caller, ada),
        () => users.makeCode(caller),
        () => tokens.give(caller, { user: ada }),
      ])
        expect((await refused(call())).code).toBe('forbidden')
    }
  })

  test('of two people who answer a question at once, one does, and the question and the audit log name that one', async () => {
    const { crew, store, asPerson } = scene(database)
    const [ada, bo] = [await asPerson('Ada', 'approver'), await asPerson('Bo', 'admin')]
    for (let turn = 0; turn < 5; turn++) {
      const worker = await crew.worker(`asks-${crypto.randomUUID()}`)
      const task = await crew.create()
      const given = await worker.take()
      const { id } = await crew.service.ask(worker.caller, given.attemptId, {
        ...{ toolUseId: null, toolName: 'Bash', input: { command: 'ls' }, description: null },
        ...{ default: 'deny' as const, deadlineMs: 60_000 },
      })
      const answers = [
        [ada, 'allow'],
        [bo, 'deny'],
      ] as const
      const done = await Promise.allSettled(
        answers.map(([caller, behavior]) => crew.service.answer(caller, id, { behavior })),
      )
      const winners = answers.filter((_, at) => done[at]?.status === 'fulfilled')
      expect(winners).toHaveLength(1)
      const [[winner, behavior] = []] = winners
      const questions = await store.tasks.questions({ taskId: task.id }, { limit: 5 })
      expect(questions.rows).toMatchObject([{ answeredBy: winner?.user?.name, answer: { behavior } }])
      const lines = (await store.audit.list({ act: 'question.answer' }, { limit: 20 })).rows
      const kind = winner === ada ? 'approver' : 'admin'
      expect(lines.filter(({ target }) => target === id).map(({ actor }) => [actor.kind, actor.name])).toEqual([
        [kind, winner?.user?.name as string],
      ])
      await crew.service.cancel(OPERATOR, task.id, {})
    }
  })

  test('a change of a task carries the name, in its log and in the feed', async () => {
    const { crew, store, asPerson } = scene(database)
    const ada = await asPerson('Ada', 'approver')
    const task = await crew.create()
    const before = await store.feed.head()
    await crew.service.pause(ada, task.id, { reason: 'wait' })
    await crew.service.resume(ada, task.id)
    expect((await crew.moves(task.id)).slice(-2)).toEqual([
      expect.stringContaining(`paused by ${ada.user?.name}: wait`),
      expect.stringContaining(`resumed by ${ada.user?.name}`),
    ])
    const entries = async () =>
      (await store.feed.after(before, 500)).filter(({ data }) => data.taskId === task.id && data.by === ada.user?.name)
    for (const end = Date.now() + 5_000; (await entries()).length < 2 && Date.now() < end; ) await Bun.sleep(20)
    expect((await entries()).map(({ kind }) => kind)).toEqual(['task.moved', 'task.moved'])
  })
})
