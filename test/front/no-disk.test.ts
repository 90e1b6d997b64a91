/** A server of PostgreSQL and object storage dies with its whole folder: another one, on a folder of its own, has all that was acknowledged. */
import { expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startS3 } from '../blobs/s3-server'
import { exported, sessionFiles } from '../e2e/record/record'
import { openLab } from '../lab/lab'
import { until } from '../lab/until'

test('what a server acknowledged is there, and its runs go on, when it is gone with its folder', async () => {
  const s3 = await startS3()
  await using lab = await openLab({
    database: 'postgres',
    claude: { version: '2.1.328', script: 'servers' },
    lode: { hasFixedPort: true, settings: { blobs: s3.url('fleet'), 'worker.enabled': false } },
  })
  lab.ending('the object storage', () => s3.stop())
  const { lode: a, claude, workers } = lab
  const place = { databaseUrl: a.databaseUrl, hasFixedPort: true, settings: { blobs: s3.url('fleet') } }
  const b = lab.addLode('b', place)
  await a.up(['serve'])
  const { token } = a
  const access = join(lab.root, 'access')
  writeFileSync(access, token, { mode: 0o600 })
  const elsewhere = join(lab.root, 'w')
  await workers.start({
    name: 'w',
    url: `${a.url},${b.url}`,
    concurrency: 3,
    environment: { LODELINE_HOME: elsewhere },
    access: ['--token-file', access, '--name', 'w'],
  })
  const more = { dir: claude.project, permissionMode: 'bypassPermissions' } as const
  // Away all the time: no run and no record needs it to go on.
  s3.pause()
  const { task } = await a.client.tasks.create({ task: 'cross over', ...more })
  const file = (name: string) => join(claude.project, name)
  await until('the run', () => existsSync(file('one.begun')))

  const { handoff } = await a.client.handoffs.create({ folder: claude.project, note: 'mind the gap' })
  const hooked = crypto.randomUUID()
  const payload = { hook_event_name: 'UserPromptSubmit', session_id: hooked, cwd: lab.root, prompt: 'by a hook' }
  const taken = await fetch(`${a.url}/hooks/claude-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  })
  expect(taken.status).toBe(204)
  const { message } = await a.client.messages.send({ to: task.id, text: 'come across' })
  const { secret } = await a.client.tokens.create({ name: 'desk', role: 'operator' })
  const streams = async (client: typeof a.client, session: string) =>
    (await client.sessions.journals(session)).journals.filter(({ kind }) => kind === 'stream')
  const session = (await a.client.tasks.get(task.id)).attempts[0]?.conversation?.sessionId ?? ''
  await until('some of its output to be there', async () => (await streams(a.client, session)).length > 0)

  await a.kill()
  rmSync(a.home, { recursive: true })
  await b.up(['serve'])
  expect((await b.client.handoffs.list()).handoffs).toEqual([handoff])
  expect((await b.client.sessions.get(hooked)).session.id as string).toBe(hooked)
  expect((await b.client.messages.get(message.id)).message.text).toBe('come across')
  for (const given of [token, secret]) {
    const answer = await fetch(`${b.url}/api/status`, { headers: { authorization: `Bearer ${given}` } })
    expect(answer.status).toBe(200)
  }

  for (const step of ['one', 'two']) {
    await until(`step ${step}`, () => existsSync(file(`${step}.begun`)))
    writeFileSync(file(`${step}.go`), '')
  }
  await until('the tasks to be over', async () => {
    const { tasks: children } = await b.client.tasks.list({ parentTaskId: task.id })
    const all = [(await b.client.tasks.get(task.id)).task, ...children]
    return all.length === 3 && all.every(({ status }) => status === 'completed')
  })
  const { attempts } = await b.client.tasks.get(task.id)
  expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
  await until('the record to be the file', async () =>
    Bun.deepEquals(await exported(b.client, session), sessionFiles(claude.transcripts, session)),
  )
  s3.goOn()
  // Its output, too: its worker brings again what the second server has not.
  const [first] = attempts
  await until('the whole output to be there', async () => {
    const sizes = (await streams(b.client, session)).filter(({ path }) => path.includes(`${first?.id}.jsonl`))
    return sizes.some(({ path }) => path.startsWith(b.home))
  })
})
