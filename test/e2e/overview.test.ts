/** What needs a person, as the real CLI brings it about: by questions, failures, silence and death. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, httpTransport } from '../../src/api/client'
import type { Need } from '../../src/domain/overview/overview'
import type { Task } from '../../src/domain/task/task'
import { type LabWith, openLab } from '../lab/lab'
import type { RunningCommand } from '../lab/running-command'
import { until } from '../lab/until'

interface Shown {
  needs: Need[]
  needsYou: Record<string, number>
}

describe('what needs a person', () => {
  let lab: LabWith<'claude' | 'lode'>
  let server: RunningCommand

  beforeAll(async () => {
    // Shorter than the slow command runs, longer than any step between two lines.
    lab = await openLab({
      claude: { version: '2.1.328', script: 'tasks' },
      lode: { settings: { stuckAfterMs: 4_000 } },
    })
    server = await lab.lode.up()
  })
  afterAll(() => lab?.stop(), 30_000)

  const client = () => {
    const { url } = JSON.parse(readFileSync(join(lab.lode.home, 'server.json'), 'utf8')) as { url: string }
    const token = readFileSync(join(lab.lode.home, 'token'), 'utf8').trim()
    return createClient(httpTransport({ token, origin: url }), { baseUrl: url })
  }
  const create = async (text: string, ...more: string[]): Promise<string> =>
    (await lab.lode.json<{ task: Task }>('task', 'create', text, ...more)).task.id
  const needOf = (id: string, kind: Need['kind']) =>
    until(`a ${kind} of ${id}`, async () => {
      const { needs } = await client().overview()
      return needs.find((need) => need.taskId === id && need.kind === kind)
    })

  test('a question of a run is there with its call, and gone with its answer', async () => {
    const id = await create('ask me')
    const need = await needOf(id, 'question')
    expect(need).toMatchObject({ title: 'ask me', canDismiss: false, question: { toolName: 'Bash' } })
    expect(need.text).toContain('touch asked.txt')
    const status = await lab.lode.lode('status')
    expect(status.stdout).toContain('1 question')
    expect(status.stdout).toContain(need.command ?? '-')
    await expect(client().needs.dismiss({ id: need.id })).rejects.toMatchObject({ code: 'conflict' })
    expect((await lab.lode.lode(...(need.command ?? '').split(' ').slice(1))).exitCode).toBe(0)
    await until('the answered run', async () => (await client().tasks.get(id)).task.status === 'completed')
    const after = await client().overview()
    expect(after.needs.filter(({ taskId }) => taskId === id)).toEqual([])
    expect(after.finished).toContainEqual(
      expect.objectContaining({ kind: 'task', taskId: id, outcome: 'completed', text: 'I was answered.' }),
    )
    expect(after.finished.filter(({ kind, sessionId }) => kind === 'session' && sessionId === need.sessionId)).toEqual(
      [],
    )
  })

  test('a failure is dismissed, and comes back when it fails again', async () => {
    const id = await create('break it', '--attempts', '1')
    const need = await needOf(id, 'failure')
    expect(need).toMatchObject({ title: 'break it', command: `lode task retry ${id}` })
    expect(need.text).toContain('this can not be')
    await client().needs.dismiss({ id: need.id })
    await client().needs.dismiss({ id: need.id })
    expect((await lab.lode.lode('need', 'dismiss', id)).stderr).toContain('Nothing that needs you has the ID')
    expect((await client().overview()).needs.filter(({ taskId }) => taskId === id)).toEqual([])
    await expect(client().needs.dismiss({ id: 'failure:t-00000000:1' })).rejects.toMatchObject({ code: 'not_found' })
    expect((await lab.lode.lode('task', 'retry', id)).exitCode).toBe(0)
    expect((await needOf(id, 'failure')).id).not.toBe(need.id)
    const listed = await lab.lode.lode('need', 'list', '--kind', 'failure')
    const shown =
      new RegExp(`^failure .* ${id.slice(0, 8)}[0-9a-z]* `, 'm').exec(listed.stdout)?.[0].trim().split(' ').at(-1) ?? ''
    expect(await lab.lode.lode('need', 'dismiss', shown)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('break it'),
    })
    expect((await client().overview()).needs.filter(({ taskId }) => taskId === id)).toEqual([])
  })

  test('a run is told with its call while it runs, and as stuck when it is silent', async () => {
    const id = await create('work slowly')
    const { question } = await needOf(id, 'question')
    await client().questions.answer(question?.id ?? '', { behavior: 'allow' })
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    const running = await until('the running call', async () =>
      (await client().overview()).running.find(({ taskId, doing }) => taskId === id && doing?.includes('sleep 25')),
    )
    expect(running).toMatchObject({ kind: 'task', title: 'work slowly', taskStatus: 'in_progress' })
    const stuck = await needOf(id, 'stuck')
    expect(stuck.text).toStartWith('Bash: ')
    const { needs } = await client().overview()
    expect(needs.filter(({ taskId }) => taskId === id).length).toBe(1)
    await client().needs.dismiss({ id: stuck.id })
    expect((await client().overview()).needs.filter(({ taskId }) => taskId === id)).toEqual([])
    expect((await lab.lode.lode('task', 'cancel', id)).exitCode).toBe(0)
    const { finished } = await client().overview()
    expect(finished).toContainEqual(expect.objectContaining({ taskId: id, outcome: 'cancelled' }))
  })

  test('lode run asks at its own terminal; always makes a rule that counts from then on, and no makes none', async () => {
    const rule = 'Bash(touch asked.txt)'
    const allowed = async () => (await lab.lode.json<{ value: string[] }>('config', 'get', 'worker.allow')).value
    const asked = (terminal: { text(): string }) =>
      until(
        'the question',
        () => terminal.text().includes('asksforBash') && terminal.text().includes('command:touchasked.txt'),
      )
    const refusing = lab.lode.terminal(['run', 'ask me'])
    await asked(refusing)
    refusing.type('perhaps\r')
    await until('the second asking', () => refusing.text().split('yallow,ndeny').length > 2)
    refusing.type('n not now\r')
    expect(await refusing.exited).toBe(0)
    expect(JSON.stringify(lab.claude.requests())).toContain('not now')
    expect(await allowed()).toEqual([])

    const allowing = lab.lode.terminal(['run', 'ask me'])
    await asked(allowing)
    allowing.type('a\r')
    expect(await allowing.exited).toBe(0)
    expect(await allowed()).toEqual([rule])
    const { exitCode, stderr } = await lab.lode.lode('run', 'ask me')
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('asks for')])
  })

  test('a session that is killed in its turn is lost, until somebody goes on with it; without a server as well', async () => {
    const { claude } = lab
    const id = crypto.randomUUID()
    const run = claude.launch({ prompt: 'work slowly', sessionId: id })
    await until('the running session', async () =>
      (await client().overview()).running.find(({ sessionId, doing }) => sessionId === id && doing !== null),
    )
    await run.crash()
    const lost = await until('the lost session', async () =>
      (await client().overview()).needs.find(({ sessionId, kind }) => sessionId === id && kind === 'lost'),
    )
    expect(lost).toMatchObject({ taskId: null, command: `lode session resume ${id}` })
    server.signal('SIGTERM')
    await server.exited
    const { needs, needsYou } = await lab.lode.json<Shown>('status')
    expect(needs.map((need) => need.id)).toContain(lost.id)
    expect(needsYou.lost).toBe(needs.filter(({ kind }) => kind === 'lost').length)
  })
})
