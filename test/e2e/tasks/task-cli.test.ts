/** Tasks as a person has them at the command line: the real CLI, real processes, a scripted model. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attempt, Question, Task, TaskNode } from '../../../src/domain/task/task'
import { freePort } from '../../lab/free-port'
import { type LabWith, openLab } from '../../lab/lab'
import { isAlive, processTree } from '../../lab/processes'
import type { ModelRequest } from '../../lab/request-log'
import type { RunningCommand } from '../../lab/running-command'
import { until } from '../../lab/until'
import { LODE_WORDS } from '../../lode-command'

interface Shown {
  task: Task
  attempts: Attempt[]
  questions: Question[]
  children: Task[]
}

const idIn = (text: string): string => /t-[0-9a-z]{8}/.exec(text)?.[0] ?? ''
/** The last document of several, one a line. */
const last = <T>(text: string): T => JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as T
const textOf = (requests: ModelRequest[]): string => JSON.stringify(requests.map(({ body }) => body.messages))

describe('lode run without a server', () => {
  let lab: LabWith<'claude' | 'lode'>
  beforeAll(async () => {
    lab = await openLab({
      claude: { version: '2.1.328', script: 'tasks' },
      lode: { settings: { 'worker.allow': ['Bash'] } },
    })
  })
  afterAll(() => lab?.stop(), 30_000)

  test('shows the task live, gives its output, exits with 0, and leaves nothing running', async () => {
    const { exitCode, stdout, stderr } = await lab.lode.lode('run', 'say hello')
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('say hello')])
    expect(stdout).toContain('Hello, the word is PLUM.')
    expect(stdout).toEndWith('\nHello, the word is PLUM.\n')
    expect(existsSync(join(lab.lode.home, 'server.json'))).toBe(false)
    const { task, attempts } = await lab.lode.json<Shown>('task', 'show', idIn(stdout))
    expect(task).toMatchObject({ status: 'completed', finishedBy: 'runner', output: 'Hello, the word is PLUM.' })
    expect(attempts).toMatchObject([{ number: 1, outcome: 'completed', conversation: { rung: 'fresh' }, exitCode: 0 }])
    const { sessions } = await lab.lode.json<{ sessions: { id: string }[] }>('session', 'list')
    expect(sessions.map(({ id }) => id)).toEqual([attempts[0]?.conversation?.sessionId ?? ''])
  })

  test('with --json gives the log line by line, and the task last', async () => {
    const { exitCode, stdout } = await lab.lode.lode('run', 'say hello', '--json')
    expect(exitCode).toBe(0)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
    expect(lines.slice(0, -1).every((line) => typeof line.id === 'number' && typeof line.text === 'string')).toBe(true)
    expect(lines.slice(0, -1).map(({ kind }) => kind)).toContain('text')
    expect(lines.at(-1)).toMatchObject({ task: { status: 'completed' } })
  })

  test('exits with 21 when the task failed, and says how to go on', async () => {
    const { exitCode, stdout, stderr } = await lab.lode.lode('run', 'break it', '--attempts', '1')
    expect(exitCode).toBe(21)
    expect(stdout).toContain('this can not be')
    expect(stderr).toContain(`lode run --task ${idIn(stdout)}`)
  })

  test('continues the conversation of a parent task, and the model is shown it', async () => {
    const first = last<{ task: Task }>((await lab.lode.lode('run', 'say hello', '--json')).stdout)
    const before = lab.claude.requests().length
    const { exitCode, stdout } = await lab.lode.lode('run', 'which word', '--parent', first.task.id)
    expect(exitCode).toBe(0)
    expect(stdout).toEndWith('\nYou told me PLUM.\n')
    expect(textOf(lab.claude.requests().slice(before))).toContain('Hello, the word is PLUM.')
    const { attempts } = await lab.lode.json<Shown>('task', 'show', idIn(stdout))
    expect(attempts[0]?.conversation).toMatchObject({ rung: 'snapshot', resumedSessionId: first.task.claudeSessionId })
  })

  test('is paused by Ctrl-C in the middle of a tool call and goes on in the same conversation', async () => {
    const run = lab.lode.spawn(['run', 'work slowly'])
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    const tree = processTree(run.pid)
    run.signal('SIGINT')
    const { exitCode, stderr } = await run.exited
    expect(exitCode).toBe(23)
    await until('its processes to be gone', () => !tree.some(isAlive))
    const id = /lode run --task (t-\w+)/.exec(stderr)?.[1] ?? ''
    const paused = await lab.lode.json<Shown>('task', 'show', id)
    expect(paused.task).toMatchObject({ status: 'paused', pausedBy: 'person', agentId: null })
    const again = await lab.lode.lode('run', '--task', id)
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringMatching(/\nDone slowly\.\n$/)])
    const done = await lab.lode.json<Shown>('task', 'show', id)
    expect(done.attempts.map(({ outcome }) => outcome)).toEqual(['paused', 'completed'])
    expect(done.attempts[1]?.conversation).toMatchObject({
      rung: 'native',
      resumedSessionId: done.attempts[0]?.conversation?.sessionId,
    })
    expect(readFileSync(join(lab.claude.project, 'slow.txt'), 'utf8')).toBe('begun\n')
  })

  test('is paused as well by a Ctrl-C that a terminal gives to every process of the command', async () => {
    rmSync(join(lab.claude.project, 'slow.txt'))
    const terminal = lab.lode.terminal(['run', 'work slowly'])
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(23)
    const { tasks } = await lab.lode.json<{ tasks: Task[] }>('task', 'list', '--status', 'paused')
    const { attempts } = await lab.lode.json<Shown>('task', 'show', tasks[0]?.id ?? '')
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['paused'])
    await lab.lode.lode('task', 'cancel', tasks[0]?.id ?? '')
  })

  test('takes its own task and leaves the others in the pool', async () => {
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'say hello', '--priority', '100')
    expect((await lab.lode.lode('run', 'say hello')).exitCode).toBe(0)
    expect((await lab.lode.json<Shown>('task', 'show', task.id)).task).toMatchObject({
      status: 'unassigned',
      attemptCount: 0,
    })
    const { exitCode } = await lab.lode.lode('run', '--task', task.id)
    expect(exitCode).toBe(0)
  })

  test('is cancelled by a second Ctrl-C', async () => {
    rmSync(join(lab.claude.project, 'slow.txt'))
    const run = lab.lode.spawn(['run', 'work slowly'])
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    const tree = processTree(run.pid)
    run.signal('SIGINT')
    // At once: a run that is paused by then has nothing to cancel.
    while (isAlive(run.pid) && !run.stderr().includes('Ctrl-C again')) await Bun.sleep(1)
    run.signal('SIGINT')
    expect((await run.exited).exitCode).toBe(22)
    await until('its processes to be gone', () => !tree.some(isAlive))
  })
})

describe('tasks with a server', () => {
  let lab: LabWith<'claude' | 'lode'>
  let server: RunningCommand
  beforeAll(async () => {
    lab = await openLab({
      claude: { version: '2.1.328', script: 'tasks' },
      lode: { settings: { 'listen.port': freePort() } },
    })
    server = await lab.lode.up()
  })
  afterAll(async () => {
    server?.signal('SIGTERM')
    await server?.exited
    await lab?.stop()
  })

  test('are created, waited for, followed and told by commands of their own', async () => {
    const { task } = await lab.lode.json<{ task: Task }>(
      'task',
      'create',
      'say hello',
      '--tag',
      'greeting',
      '--priority',
      '80',
    )
    const followed = lab.lode.lode('task', 'log', task.id, '--follow')
    expect((await lab.lode.lode('task', 'wait', task.id.slice(0, 6), '--timeout', '50s')).exitCode).toBe(0)
    expect((await followed).stdout).toContain('Hello, the word is PLUM.')
    const listed = await lab.lode.json<{ tasks: Task[] }>('task', 'list', '--tag', 'greeting')
    expect(listed.tasks).toMatchObject([{ id: task.id, status: 'completed', priority: 80, dir: lab.claude.project }])
    const child = await lab.lode.lode('task', 'create', 'which word', '--parent', task.id, '--wait', '--json')
    expect([child.exitCode, JSON.parse(child.stdout)]).toEqual([0, expect.objectContaining({ isRepeat: false })])
    const { tree } = await lab.lode.json<{ tree: TaskNode }>('task', 'tree', task.id)
    expect(tree.children.map((node) => node.task.output)).toEqual(['You told me PLUM.'])
    expect((await lab.lode.lode('status')).stdout).toMatch(/^tasks .*2 completed; 1 of 1 agent online$/m)
  })

  test('waits no longer than it was told to, and says so by its exit code', async () => {
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'say hello', '--not-before', '1h')
    const { exitCode, stdout } = await lab.lode.lode('task', 'wait', task.id, '--timeout', '300ms')
    expect([exitCode, stdout]).toEqual([24, expect.stringContaining('pending (time)')])
    expect((await lab.lode.lode('task', 'cancel', task.id)).exitCode).toBe(0)
    expect((await lab.lode.lode('task', 'wait', task.id)).exitCode).toBe(22)
  })

  test('ask a person for what needs approval, and go on with the answer', async () => {
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'ask me')
    const asked = await until('the question', async () => {
      const { questions } = await lab.lode.json<{ questions: Question[] }>('question', 'list', '--task', task.id)
      return questions[0]
    })
    expect(asked).toMatchObject({ toolName: 'Bash', input: { command: 'touch asked.txt' }, status: 'open' })
    expect((await lab.lode.lode('status')).stdout).toMatch(/^needs you +1 question$/m)
    expect((await lab.lode.lode('question', 'answer', asked.id, 'allow')).exitCode).toBe(0)
    expect((await lab.lode.lode('task', 'wait', task.id, '--timeout', '50s')).exitCode).toBe(0)
    expect(existsSync(join(lab.claude.project, 'asked.txt'))).toBe(true)
  })

  test('are opened where they ran, also when the transcript is gone', async () => {
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'say hello', '--wait')
    const transcript = lab.claude.transcript(task.claudeSessionId ?? '')
    const opened = await lab.lode.json<{ command: string[]; dir: string; isRestored: boolean }>('task', 'open', task.id)
    expect(opened).toMatchObject({ dir: lab.claude.project, isRestored: false })
    expect(opened.command.slice(1).join(' ')).toContain(task.claudeSessionId ?? 'none')
    const bytes = readFileSync(transcript)
    rmSync(transcript)
    expect((await lab.lode.lode('task', 'open', task.id, '--print')).stdout).toStartWith(`cd ${lab.claude.project} && `)
    expect(readFileSync(transcript).equals(bytes)).toBe(true)
    const refused = await lab.lode.lode('task', 'open', task.id)
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('in a terminal')])
  })

  test('are talked about with their agent in a terminal, by one person at a time', async () => {
    lab.claude.skipWelcome()
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'say hello', '--wait')
    const terminal = lab.lode.terminal(['task', 'open', task.id])
    await until('the conversation', () => terminal.text().includes('Hello,thewordisPLUM.'))
    await until('the CLI to register', () =>
      readdirSync(join(lab.claude.claudeRoot, 'sessions')).some((name) =>
        readFileSync(join(lab.claude.claudeRoot, 'sessions', name), 'utf8').includes(task.claudeSessionId ?? 'none'),
      ),
    )
    const second = await lab.lode.lode('task', 'open', task.id, '--json')
    expect([second.exitCode, second.stderr]).toEqual([4, expect.stringContaining('is already open')])
    // The CLI asks for a second one, and soon forgets that it did.
    let exitCode: number | null = null
    void terminal.exited.then((code) => {
      exitCode = code
    })
    terminal.type('\u0003')
    let answered = 0
    await until('the CLI to end', () => {
      const asked = terminal.text().split('PressCtrl-Cagain').length - 1
      if (asked > answered) terminal.type('\u0003')
      answered = asked
      return exitCode !== null
    })
    expect(exitCode as number | null).toBe(0)
  })

  test('of another worker go on where it left them', async () => {
    const work = ['work', '--name', 'second', '--capability', 'slow', '--token-file', join(lab.lode.home, 'token')]
    const SLOW = ['--capability', 'slow', '--permission-mode', 'bypassPermissions']
    const second = await lab.lode.up(work, 'worker second')
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'work slowly', ...SLOW)
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    expect((await lab.lode.lode('task', 'open', task.id, '--json')).exitCode).toBe(4)
    const tree = processTree(second.pid)
    second.signal('SIGTERM')
    expect((await second.exited).exitCode).toBe(0)
    await until('its processes to be gone', () => !tree.some(isAlive))
    const { task: left } = await lab.lode.json<Shown>('task', 'show', task.id)
    expect(left).toMatchObject({ status: 'paused', pausedBy: 'shutdown' })
    const again = await lab.lode.up(work, 'worker second')
    expect((await lab.lode.lode('task', 'wait', task.id, '--timeout', '50s')).exitCode).toBe(0)
    again.signal('SIGTERM')
    expect((await again.exited).exitCode).toBe(0)
  })

  test('are waited for over a restart of the server', async () => {
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'say hello', '--not-before', '1h')
    const wait = lab.lode.spawn(['task', 'wait', task.id])
    await until('the waiting', () => wait.stderr().includes('waiting for'))
    server.signal('SIGKILL')
    await server.exited
    await until('the loss to be told', () => wait.stderr().includes('trying again'))
    server = await lab.lode.up()
    await lab.lode.lode('task', 'edit', task.id, '--clear', 'not-before')
    expect((await wait.exited).exitCode).toBe(0)
  })

  test('are made by an agent within its run, by its own token alone', async () => {
    const lode = LODE_WORDS
    writeFileSync(
      join(lab.claude.project, 'spawn.sh'),
      `${lode} task create 'say hello' --json > made.json; ${lode} session list > seen.txt 2>&1; echo $? >> seen.txt\n`,
    )
    const run = await lab.lode.lode('run', 'make a task', '--permission-mode', 'bypassPermissions')
    expect(run.exitCode).toBe(0)
    const made = JSON.parse(readFileSync(join(lab.claude.project, 'made.json'), 'utf8')) as { task: Task }
    expect(made.task).toMatchObject({ source: 'cli', continuity: 'fresh' })
    expect(readFileSync(join(lab.claude.project, 'seen.txt'), 'utf8')).toEndWith('\n6\n')
    const { children } = await lab.lode.json<Shown>('task', 'show', idIn(run.stdout))
    expect(children.map(({ id }) => id)).toEqual([made.task.id])
  })
})
