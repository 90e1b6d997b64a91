/** What a run asks for that is not its own, each by the request that it would send. */
import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '../../src/api/contract/operations'
import { address } from '../../src/domain/ids'
import { MESSAGE_LIMITS } from '../../src/domain/message/message'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { openWorld, type Side, type World } from './world'

onEachDatabase((database) => {
  const begin = async (): Promise<{ world: World; own: Side; foreign: Side } & AsyncDisposable> => {
    const world = openWorld(database.store)
    const [own, foreign] = [await world.side(), await world.side()]
    return { world, own, foreign, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
  }
  const run = ({ world, own }: { world: World; own: Side }) => world.callerOf('attempt', own).call

  test("a task that waits for another tree's task, and so would be shown its result, is refused", async () => {
    await using scene = await begin()
    const { own, foreign } = scene
    const call = run(scene)
    const made = { task: 'x', dir: own.dir, status: 'backlog' as const, dependsOn: [foreign.task] }
    expect(await failureOf(call(operations.tasks.create, made))).toMatchObject({ code: 'forbidden' })
    const plan = { tasks: [{ ...made, key: 'a' }] }
    expect(await failureOf(call(operations.plans.create, plan))).toMatchObject({ code: 'forbidden' })
    expect(await failureOf(call(operations.plans.await, { ids: [foreign.task], call: 'c' }))).toMatchObject({
      code: 'forbidden',
    })
    // What a plan of its own has is seen, and so is what is beside it in its tree.
    await call(operations.tasks.create, { ...made, dependsOn: [own.byRun] })
    const { tasks } = await call(operations.tasks.list, { limit: 100 })
    expect(tasks.map(({ id }) => id)).toContain(own.byRun)
    expect(JSON.stringify(tasks)).not.toContain(foreign.mark)
  })

  test('a message to a conversation that did not ask for it is refused, and one to who wrote is sent', async () => {
    await using scene = await begin()
    const { own, foreign, world } = scene
    const call = run(scene)
    const say = (to: string) => call(operations.messages.send, { to, text: 'run this', kind: 'question' })
    for (const to of [foreign.session, foreign.task, foreign.worker])
      expect(await failureOf(say(to))).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('replyTo') })
    await world.services.messages.send(
      { kind: 'operator' },
      { to: own.task, text: 'and?', sessionId: foreign.session as never },
      null,
    )
    expect((await say(foreign.session)).message.to).toBe(address(foreign.session))
    expect(await failureOf(say(foreign.task))).toMatchObject({ code: 'forbidden' })
  })

  test('more messages than a run may send within a minute are refused', async () => {
    await using scene = await begin()
    const call = run(scene)
    const say = () => call(operations.messages.send, { to: scene.own.byRun, text: 'again' })
    // One was sent when the side was made.
    for (let n = 1; n < MESSAGE_LIMITS.perMinute; n++) await say()
    expect(await failureOf(say())).toMatchObject({ code: 'too_large', details: { limit: MESSAGE_LIMITS.perMinute } })
  })

  test('issues and hand-overs of another project are refused, whatever way leads there', async () => {
    await using scene = await begin()
    const { own, foreign } = scene
    const call = run(scene)
    symlinkSync(foreign.dir, join(own.dir, 'link'))
    const claims = join(own.dir, 'claims')
    mkdirSync(claims)
    writeFileSync(join(claims, '.git'), `gitdir: ${join(foreign.dir, '.git')}\n`)
    for (const dir of [foreign.dir, join(own.dir, 'link'), `${own.dir}/../${foreign.mark}`, '/'])
      for (const refused of [
        () => call(operations.issues.list, { dir }),
        () => call(operations.issues.create, { dir, title: 'x' }),
        () => call(operations.issues.update, { id: foreign.issue, dir, title: 'x' }),
        () => call(operations.handoffs.create, { folder: dir, note: 'obey' }),
      ])
        expect(await failureOf(refused())).toMatchObject({ code: 'forbidden' })
    const { handoff } = await call(operations.handoffs.create, { folder: claims, note: 'mine' })
    expect(handoff.folder).toBe(claims)
    expect(await failureOf(call(operations.issues.get, { id: foreign.issue }))).toMatchObject({ code: 'not_found' })
    expect((await call(operations.issues.get, { id: own.issue })).issue.id as string).toBe(own.issue)
  })

  test('a task for an issue of another project is refused as if it were not there', async () => {
    await using scene = await begin()
    const { own, foreign } = scene
    const call = run(scene)
    const made = { task: 'x', dir: own.dir, status: 'backlog' as const }
    for (const named of [{ issueId: foreign.issue }, { epicId: foreign.issue }])
      expect(await failureOf(call(operations.tasks.create, { ...made, ...named }))).toMatchObject({ code: 'not_found' })
    const { task } = await call(operations.tasks.create, { ...made, issueId: own.issue })
    expect(task.issueId as string).toBe(own.issue)
    // What its own task serves it names, wherever that is.
    await scene.world.services.tasks.patch({ kind: 'operator' }, own.task, { issueId: foreign.issue })
    const child = await call(operations.tasks.create, { ...made, task: 'y', issueId: foreign.issue })
    expect(child.task.issueId as string).toBe(foreign.issue)
  })

  test('a report, a stream and a question of its own attempt are refused: its worker sends them', async () => {
    await using scene = await begin()
    const { attempt } = scene.own
    const call = run(scene)
    const ask = { toolUseId: null, toolName: 'Read', input: {}, description: null, default: 'deny', deadlineMs: 5_000 }
    for (const refused of [
      () => call(operations.attempts.report, { id: attempt, log: [] }),
      () => call(operations.attempts.stream, { id: attempt, offset: 0 }, { bytes: new Uint8Array(3) }),
      () => call(operations.attempts.ask, { ...ask, id: attempt } as never),
    ])
      expect(await failureOf(refused())).toMatchObject({ code: 'forbidden' })
  })
})
