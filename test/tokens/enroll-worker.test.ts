import { expect, test } from 'bun:test'
import type { Caller, JoinInput } from '../../src/domain/task/worker-protocol'
import { ENROLL_CODE_MS } from '../../src/domain/token/token'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { type ContractDatabase, onEachDatabase } from '../store-contract/databases'
import { Crew, Member, OPERATOR, refused } from '../tasks/crew'

/** The server's own machine. */
const SERVER = { hostName: 'server-host', roots: [], hostKey: 'server-key' }

let machines = 0

/** An operator with a service, and machines that come with codes. */
function scene({ store }: ContractDatabase) {
  const crew = new Crew(store)
  const tokens = createTokenService({ store, now: () => crew.now, followedRoots: () => SERVER })
  const name = `w-${crew.word}`
  const machine = () => {
    const hostName = `machine-${++machines}-${crew.word}`
    return { hostname: 'box', hostName, hostKey: `key-of-${hostName}` }
  }
  const code = async (expiresInMs?: number) => (await tokens.enroll(OPERATOR, { name, expiresInMs })).code
  const state = async () => (await store.tokens.enrollments(crew.now)).find((one) => one.name === name)?.state
  /** The caller that the token of an enrolled worker stands for. */
  const callerOf = async (): Promise<Caller> => {
    const agent = await store.tasks.findAgent(name)
    if (agent === undefined) throw new Error('no machine has come')
    return { kind: 'agent', agentId: agent.id, agentKind: 'worker' }
  }
  const join = async (at: ReturnType<typeof machine>, more: Partial<JoinInput> = {}) => {
    const input: JoinInput = {
      ...{ name, kind: 'worker', concurrency: 1, capabilities: [crew.word], bootId: 'boot', isFormerGone: true },
      ...{ version: '1', ...at, ...more },
    }
    const { agent, token } = await crew.service.join(await callerOf(), input)
    return new Member(crew, agent.id, name, input.bootId, 'worker', token)
  }
  return { store, crew, tokens, name, machine, code, state, join, callerOf }
}

onEachDatabase((database) => {
  test('a code lets one machine in, once', async () => {
    const { tokens, name, machine, code, state, join } = scene(database)
    const given = await code()
    expect(await state()).toBe('waiting')
    const [first, second] = [machine(), machine()]
    const entered = await tokens.enter({ code: given.toLowerCase().replaceAll('-', ''), ...first })
    expect([entered.name, entered.token, entered.expiresAt]).toEqual([name, expect.stringMatching(/^lwe_/), null])
    expect((await refused(tokens.enter({ code: given, ...second }))).code).toBe('unauthorized')
    expect([await state(), (await join(first)).name]).toEqual(['active', name])
  })

  test('of two machines that come at once with one code, one gets in', async () => {
    const { tokens, machine, code } = scene(database)
    const given = await code()
    const came = await Promise.allSettled(Array.from({ length: 4 }, () => tokens.enter({ code: given, ...machine() })))
    expect(came.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('a code is good for ten minutes, and until another takes its place', async () => {
    const { crew, tokens, machine, code, state } = scene(database)
    const late = await code()
    crew.now += ENROLL_CODE_MS
    expect((await refused(tokens.enter({ code: late, ...machine() }))).code).toBe('unauthorized')
    expect(await state()).toBe('expired')
    const replaced = await code()
    const last = await code()
    expect((await refused(tokens.enter({ code: replaced, ...machine() }))).code).toBe('unauthorized')
    crew.now += ENROLL_CODE_MS - 1
    await tokens.enter({ code: last, ...machine() })
    expect(await state()).toBe('active')
  })

  test('neither the code nor the token is stored', async () => {
    const { store, tokens, machine, code } = scene(database)
    const given = await code()
    const { token } = await tokens.enter({ code: given, ...machine() })
    const row = await store.tokens.byToken(new Bun.CryptoHasher('sha256').update(token).digest())
    expect([row?.codeHash, row?.tokenHash?.length]).toEqual([null, 32])
    for (const secret of [given, given.replaceAll('-', ''), token]) expect(JSON.stringify(row)).not.toContain(secret)
  })

  test('the token is of its machine alone: another name, another key and the name of the server are refused', async () => {
    const { tokens, machine, code, join } = scene(database)
    const own = machine()
    await tokens.enter({ code: await code(), ...own })
    for (const at of [machine(), { ...own, hostKey: 'copied' }, { ...own, hostName: SERVER.hostName }])
      expect((await refused(join(at))).code).toBe('forbidden')
    expect((await refused(join(own, { name: 'another' }))).code).toBe('forbidden')
    expect((await refused(join(own, { kind: 'lead' }))).code).toBe('forbidden')
    await join(own)
  })

  test("a code makes nobody the server's machine or another worker's", async () => {
    const first = scene(database)
    const theirs = first.machine()
    await first.tokens.enter({ code: await first.code(), ...theirs })
    const { tokens, code, state, machine } = scene(database)
    const given = await code()
    for (const at of [
      { ...theirs, hostKey: 'guessed' },
      { ...SERVER, hostname: 'box', hostKey: 'guessed' },
    ])
      expect((await refused(tokens.enter({ code: given, ...at }))).code).toBe('forbidden')
    // What was refused used nothing up.
    expect(await state()).toBe('waiting')
    await tokens.enter({ code: given, ...machine() })
  })

  test('only an operator enrolls and revokes', async () => {
    const { crew, tokens, name, machine, code, callerOf } = scene(database)
    await tokens.enter({ code: await code(), ...machine() })
    const lead: Caller = { ...(await callerOf()), agentKind: 'lead' } as Caller
    for (const caller of [lead, await callerOf(), { kind: 'viewer' } as const]) {
      expect((await refused(tokens.enroll(caller, { name: `x-${crew.word}` }))).code).toBe('forbidden')
      expect((await refused(tokens.revokeWorker(caller, name))).code).toBe('forbidden')
    }
  })

  test('a worker that is revoked loses its attempts and its tokens, and its tasks go to others', async () => {
    const { store, crew, tokens, name, machine, code, state, join } = scene(database)
    const own = machine()
    await tokens.enter({ code: await code(), ...own })
    const worker = await join(own)
    const { id } = await crew.create()
    const given = await worker.take()
    await tokens.revokeWorker(OPERATOR, name)
    expect([await state(), (await store.tasks.findAgent(name))?.status]).toEqual(['revoked', 'offline'])
    const [attempt] = await crew.attempts(id)
    expect([attempt?.outcome, attempt?.failureReason]).toEqual(['lost', `the access of ${name} was revoked`])
    const hash = new Bun.CryptoHasher('sha256').update(worker.token).digest()
    expect(await store.tasks.agentByToken(hash)).toBeUndefined()
    // A request that was let in before is refused where it writes.
    expect((await refused(worker.poll())).code).toBe('unauthorized')
    expect((await refused(worker.end(given, 'completed'))).code).toBe('lease_lost')
    const other = await crew.worker(`other-${crew.word}`)
    expect((await other.take()).task.id).toBe(id)
  })

  test('a worker is enrolled on another machine after it was revoked, and not before', async () => {
    const { tokens, name, machine, code, state, join } = scene(database)
    const [first, second] = [machine(), machine()]
    await tokens.enter({ code: await code(), ...first })
    expect(await refused(code())).toMatchObject({ code: 'conflict', hint: expect.stringContaining('revoke') })
    await tokens.revokeWorker(OPERATOR, name)
    await tokens.enter({ code: await code(), ...second })
    expect((await refused(join(first))).code).toBe('forbidden')
    expect([(await join(second)).name, await state()]).toEqual([name, 'active'])
  })

  test("a worker that joined with the operator's token can't be revoked, and it is said what ends that token", async () => {
    const { crew, tokens } = scene(database)
    const worker = await crew.worker(`old-${crew.word}`)
    expect(await refused(tokens.revokeWorker(OPERATOR, worker.name))).toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining('lode token rotate'),
    })
    expect((await refused(tokens.revokeWorker(OPERATOR, 'nobody'))).code).toBe('not_found')
  })

  test('the name of a worker that is at work is not taken from it', async () => {
    const { crew, tokens } = scene(database)
    const { name } = await crew.worker(`here-${crew.word}`)
    expect(await refused(tokens.enroll(OPERATOR, { name }))).toMatchObject({ code: 'conflict' })
    crew.now += 60_000
    await tokens.enroll(OPERATOR, { name })
  })

  test('a name that is a lead, or no name, is refused', async () => {
    const { crew, tokens } = scene(database)
    const lead = `lead-${crew.word}`
    await crew.worker(lead, { kind: 'lead' })
    expect((await refused(tokens.enroll(OPERATOR, { name: lead }))).code).toBe('conflict')
    for (const name of ['', ' x', 'a-12345678', 'x'.repeat(101)])
      expect((await refused(tokens.enroll(OPERATOR, { name }))).code).toBe('invalid')
  })
})
