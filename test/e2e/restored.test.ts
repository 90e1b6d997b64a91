/** A server that works on a restored database: runs that it does not know end, and nothing that they wrote is lost. */
import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { isAppError } from '../../src/domain/errors'
import { isAlive } from '../lab/processes'
import { until } from '../lab/until'
import { exported } from './record/record'
import { type Fleet, openLadder } from './tasks/fleet'

let lab: Fleet | undefined
afterEach(async () => {
  await lab?.stop()
  lab = undefined
})

test('a worker ends a run that a restored database does not know, keeps its output, and goes on; the former database gets it', async () => {
  lab = await openLadder('2.1.328', 'sqlite', 60)
  const { lode, tasks, workers, root } = lab
  const [HOME, LODELINE_HOME] = [join(root, 'one/h'), join(root, 'one/l')]
  const seat = { name: 'one', environment: { HOME, LODELINE_HOME } }
  await workers.start(seat)
  const backup = join(root, 'then.tar.gz')
  expect(await lode.lode('backup', backup)).toMatchObject({ exitCode: 0 })

  // Its files never change again: only their being offered anew brings them back.
  const done = await tasks.create('Please say hello after the backup')
  await tasks.reached(done.id, 'completed')
  const finished = (await tasks.newest(done.id)).conversation?.sessionId ?? ''
  const { id, attempt } = await tasks.slowly('Please work slowly after the backup')
  const session = attempt.conversation?.sessionId ?? ''
  const pid = attempt.process?.pid ?? 0
  expect(isAlive(pid)).toBe(true)
  const streamOf = (folder: string) => readFileSync(join(LODELINE_HOME, 'runs', folder, 'stream.jsonl'))
  await until('some output', () => streamOf(attempt.id).length > 0)
  await lode.crash()
  const former = `${lode.home}.former`
  renameSync(lode.home, former)
  mkdirSync(lode.home)
  expect(await lode.lode('restore', backup)).toMatchObject({ exitCode: 0 })
  await lode.up(['serve'])

  await until('the end of the run', () => !isAlive(pid))
  const kept = () => readdirSync(join(LODELINE_HOME, 'runs')).filter((name) => name.startsWith(`${attempt.id}@`))
  await until('its output to be put aside', () => kept().length === 1)
  const output = streamOf(kept()[0] ?? '')
  expect(output.toString()).toContain(session)
  expect(workers.get('one').stderr()).toContain('restored')
  expect((await lode.client.tasks.list({})).tasks.map((task) => task.id)).not.toContain(id)
  // What the agent's own files hold is offered to this database as to any other.
  const transcript = (session: string) => {
    const folder = join(HOME, '.claude/projects')
    const path = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((one) =>
      one.endsWith(`${session}.jsonl`),
    )
    return readFileSync(join(folder, path ?? ''))
  }
  // Nothing of it may be on the way yet.
  const files = (session: string) =>
    exported(lode.client, session).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'not_found') return null
      throw error
    })
  for (const each of [session, finished])
    await until(`the conversation ${each}`, async () =>
      (await files(each))?.get(`${each}.jsonl`)?.equals(transcript(each)),
    )
  const next = await tasks.slowly('Please work slowly after the restore')
  expect(next.attempt.agentName).toBe('one')
  await lode.client.tasks.cancel(next.id)
  await tasks.reached(next.id, 'cancelled')

  await lode.crash()
  renameSync(lode.home, `${lode.home}.restored`)
  renameSync(former, lode.home)
  await lode.up(['serve'])
  const worker = workers.get('one')
  worker.signal('SIGTERM')
  await worker.exited
  await workers.start(seat)
  await until('the output to be brought', () => kept().length === 0)
  const stored = readFileSync(join(lode.home, 'streams', `${attempt.id}.jsonl`))
  expect(stored.equals(output)).toBe(true)
})
