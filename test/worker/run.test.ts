import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { EACH_CLI, NEWEST_CLI } from '../lab/claude'
import { inTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { isRunning, processTree } from '../lab/processes'
import { until } from '../lab/until'

inTurn(EACH_CLI, 'a worker with the agent CLI %s', (test, version) => {
  let lab: LabWith<'claude' | 'here'>
  beforeAll(async () => {
    lab = await openLab({ claude: { version, script: 'worker' }, here: {} })
    await lab.here.startWorker()
  })
  afterAll(async () => lab.stop())
  beforeEach(() => rmSync(slow(), { force: true }))

  const slow = () => join(lab.claude.project, 'beat.txt')
  const beats = () => (existsSync(slow()) ? statSync(slow()).size : 0)

  test('runs a task to its end, and tells how it went and in which conversation', async () => {
    const { id } = await lab.tasks.create('Please show yourself', { maxTurns: 20 })
    const task = await lab.tasks.reached(id, 'completed')
    expect(task).toMatchObject({ output: 'Shown.', finishedBy: 'runner', failureClass: null })
    const [attempt] = await lab.tasks.attempts(id)
    expect(attempt).toMatchObject({
      number: 1,
      outcome: 'completed',
      host: hostname(),
      cwd: lab.claude.project,
      cliVersion: version,
      exitCode: 0,
      conversation: { rung: 'fresh', resumedSessionId: null, forked: false, whyNot: [] },
    })
    expect(attempt?.process?.pid).toBeGreaterThan(0)
    expect(attempt?.costUsd).toBeGreaterThan(0)
    const session = attempt?.conversation?.sessionId ?? ''
    expect(task.claudeSessionId).toBe(session as never)
    expect(existsSync(lab.claude.transcript(session))).toBe(true)
    expect((await lab.tasks.words(id))[0]).toBe(`starting session ${session.slice(0, 8)}`)
    // What the run heard of itself, and nothing of a token in the transcript.
    const shown = lab.claude.lastShown(session)
    for (const text of [
      `LODELINE_TASK_ID=${id}`,
      `LODELINE_ATTEMPT_ID=${id}.1`,
      // That of the worker's own relay, at whichever port.
      'LODELINE_URL=http://127.0.0.1:',
      lab.claude.project,
    ])
      expect(shown).toContain(text)
    // Its hooks know the folder by their own command, and report there.
    expect(shown).not.toContain('LODELINE_HOME')
    const hooks = readFileSync(join(lab.here.home, 'hooks', 'hooks.jsonl'), 'utf8').split('\n')
    expect(hooks.filter((line) => line.includes('"SessionStart"') && line.includes(session))).toHaveLength(1)
    expect(existsSync(join(lab.claude.home, '.lodeline'))).toBe(false)
  })

  test('leaves a task that asks for more than this machine allows to another worker, and says which setting it is', async () => {
    const refusal = await lab.here.client.tasks
      .create({ task: 'Please show yourself', permissionMode: 'bypassPermissions' })
      .catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'conflict', hint: expect.stringContaining('worker.maxPermissionMode') })
    // Somebody is there who tells no ceiling: the task is made, and waits for that one.
    await lab.here.client.agents.join({
      name: 'quiet',
      kind: 'worker',
      capabilities: [],
      concurrency: 1,
      hostname: 'elsewhere',
      hostName: 'elsewhere',
      bootId: 'boot',
      isFormerGone: false,
      version: '1',
    })
    const { id } = await lab.tasks.create('Please show yourself', { permissionMode: 'bypassPermissions' })
    // What came later is done; this one was not touched.
    const later = await lab.tasks.create('Please remember')
    await lab.tasks.reached(later.id, 'completed')
    expect((await lab.here.client.tasks.get(id)).task).toMatchObject({ status: 'unassigned', attemptCount: 0 })
    await lab.here.client.tasks.cancel(id)
  })

  test('leaves a task in no folder of its own to others, and takes it not even when it is told to', async () => {
    const worker = await lab.here.startWorker({
      name: 'narrow',
      settings: { 'worker.dirs': [lab.claude.project], 'worker.capabilities': ['narrow'] },
    })
    const requiredCapabilities = ['narrow']
    const outside = await lab.tasks.create('Please remember', { dir: lab.root, requiredCapabilities, priority: 90 })
    const inside = await lab.tasks.create('Please remember', { dir: lab.claude.project, requiredCapabilities })
    await lab.tasks.reached(inside.id, 'completed')
    expect(await lab.tasks.get(outside.id)).toMatchObject({ status: 'unassigned', attemptCount: 0 })
    const claim = await lab.here.client.tasks
      .claim(outside.id, { agentId: worker.agentId })
      .catch((error: unknown) => error)
    expect(claim).toMatchObject({ code: 'conflict', hint: expect.stringContaining('worker.dirs') })
    await lab.here.client.tasks.cancel(outside.id)
    await lab.here.stopWorker(worker)
  })

  test('keeps every byte of the output, at the server alone once it is there', async () => {
    const { id } = await lab.tasks.create('Please remember')
    await lab.tasks.reached(id, 'completed')
    const attempt = (await lab.tasks.attempts(id))[0]
    if (!attempt) throw new Error('no attempt')
    await until('the spool to be delivered', () => !existsSync(lab.here.runFolder(attempt.id)))
    const lines = readFileSync(join(lab.here.home, 'streams', `${attempt.id}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
    const parsed = lines.map((line) => JSON.parse(line) as { type: string; subtype?: string })
    expect(parsed.some((line) => line.type === 'result')).toBe(true)
    expect(parsed.some((line) => line.subtype === 'init')).toBe(true)
  })

  test("lets a child go on in a copy of its parent's conversation", async () => {
    const parent = await lab.tasks.create('Please remember')
    await lab.tasks.reached(parent.id, 'completed')
    const child = await lab.tasks.create('which word was it?', { parentTaskId: parent.id })
    expect((await lab.tasks.reached(child.id, 'completed')).output).toBe('The word was PLUM.')
    const [before] = await lab.tasks.attempts(parent.id)
    const [after] = await lab.tasks.attempts(child.id)
    const from = before?.conversation?.sessionId ?? ''
    expect(after?.conversation).toMatchObject({ rung: 'snapshot', resumedSessionId: from, forked: true, whyNot: [] })
    expect(after?.conversation?.sessionId).not.toBe(from as never)
    expect(readFileSync(lab.claude.transcript(from), 'utf8')).toContain(after?.conversation?.forkPoint ?? 'none')
    expect(await lab.tasks.words(child.id)).toContain(`resuming parent session ${from.slice(0, 8)} (fork)`)
  })

  test('pauses in the middle of a tool call, and goes on in the same conversation', async () => {
    const { id } = await lab.tasks.create('Please work slowly')
    const { conversation } = await lab.tasks.running(id)
    await until('the tool call', () => beats() > 0)
    await lab.here.client.tasks.pause(id)
    const paused = await lab.tasks.reached(id, 'paused')
    expect(paused.pausedBy).toBe('person')
    const stopped = beats()
    await lab.here.client.tasks.resume(id)
    expect((await lab.tasks.reached(id, 'completed')).output).toBe('Went on to the end.')
    expect(beats()).toBe(stopped)
    const [first, second] = await lab.tasks.attempts(id)
    expect(first?.outcome).toBe('paused')
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: conversation?.sessionId, whyNot: [] })
    const words = await lab.tasks.words(id)
    expect(words).toContain(`resuming own session ${conversation?.sessionId.slice(0, 8)}`)
    expect(lab.claude.lastShown(conversation?.sessionId ?? '')).toContain('work slowly')
  })

  test('cancels the whole tree at once', async () => {
    const { id } = await lab.tasks.create('Please work slowly')
    const attempt = await lab.tasks.running(id)
    await until('the tool call', () => beats() > 0)
    const tree = processTree(attempt.process?.pid ?? 0)
    expect(tree.length).toBeGreaterThan(1)
    await lab.here.client.tasks.cancel(id)
    await until('the tree to be gone', () => !tree.some(isRunning), 1_000)
    await lab.tasks.reached(id, 'cancelled')
    expect((await lab.tasks.attempts(id))[0]?.outcome).toBe('cancelled')
  })

  test('tries again in the same conversation after a crash of the CLI', async () => {
    const { id } = await lab.tasks.create('Please work slowly', { retryPolicy: { initialIntervalMs: 10 } })
    const attempt = await lab.tasks.running(id)
    await until('the tool call', () => beats() > 0)
    process.kill(attempt.process?.pid ?? 0, 'SIGKILL')
    expect((await lab.tasks.reached(id, 'completed')).output).toBe('Went on to the end.')
    const [first, second] = await lab.tasks.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'crash' })
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: attempt.conversation?.sessionId })
  })

  test('restores a conversation whose files were deleted', async () => {
    const { id } = await lab.tasks.create('Please work slowly')
    const { conversation } = await lab.tasks.running(id)
    await until('the tool call', () => beats() > 0)
    await lab.here.client.tasks.pause(id)
    await lab.tasks.reached(id, 'paused')
    const path = lab.claude.transcript(conversation?.sessionId ?? '')
    rmSync(path)
    await lab.here.client.tasks.resume(id)
    expect((await lab.tasks.reached(id, 'completed')).output).toBe('Went on to the end.')
    const second = (await lab.tasks.attempts(id))[1]
    expect(second?.conversation).toMatchObject({
      rung: 'restored',
      sessionId: conversation?.sessionId,
      whyNot: [{ rung: 'native', reason: 'transcript_missing' }],
    })
    expect(lab.claude.lastShown(conversation?.sessionId ?? '')).toContain('work slowly')
  })

  test('goes on in a copy while another process has the conversation open', async () => {
    const session = crypto.randomUUID()
    await lab.claude.run({ prompt: 'Please remember', sessionId: session })
    const person = lab.claude.steer({ resume: session })
    person.send({ type: 'user', message: { role: 'user', content: 'Please remember well' } })
    await until('the session to be open', () => lab.claude.lastShown(session).includes('remember well'))
    const { id } = await lab.tasks.create('which word was it?', { status: 'backlog' })
    await lab.here.client.tasks.setConversation(id, { claudeSessionId: session })
    await lab.here.client.tasks.patch(id, { status: 'unassigned' })
    expect((await lab.tasks.reached(id, 'completed')).output).toBe('The word was PLUM.')
    person.end()
    await person.exited
    const [attempt] = await lab.tasks.attempts(id)
    expect(attempt?.conversation).toMatchObject({ rung: 'snapshot', resumedSessionId: session, forked: true })
    expect(attempt?.conversation?.whyNot.map(({ reason }) => reason)).toEqual(['session_open', 'session_open'])
    expect(readFileSync(lab.claude.transcript(session), 'utf8')).not.toContain('which word')
  })

  test('hands messages to the run in mid-turn', async () => {
    const { id } = await lab.tasks.create('Please work briefly')
    await lab.tasks.running(id)
    await until('the tool call', async () => (await lab.tasks.log(id)).some((line) => line.kind === 'tool'))
    await lab.here.client.tasks.input(id, { text: 'STEER elsewhere' })
    expect((await lab.tasks.reached(id, 'completed')).output).toBe('Changed course as asked.')
  })

  test('waits for agents in the background', async () => {
    const { id } = await lab.tasks.create('Please start an agent')
    const task = await lab.tasks.reached(id, 'completed')
    expect(task.output).toBe('The background work is done.')
  })

  test('fails with a hint, and does not try again, where the folder is missing', async () => {
    const { id } = await lab.tasks.create('Please remember', { dir: join(lab.claude.root, 'gone') })
    const task = await lab.tasks.reached(id, 'failed')
    expect(task).toMatchObject({ failureClass: 'bad_flag', attemptCount: 1 })
    expect(task.failureReason).toContain('--dir')
  })

  test('fails with what the model said', async () => {
    const { id } = await lab.tasks.create('Please break it', { retryPolicy: { maximumAttempts: 1 } })
    const task = await lab.tasks.reached(id, 'failed')
    expect(task.failureReason).toContain('this can not be')
  })

  test('ends a run that takes more turns than it may', async () => {
    const { id } = await lab.tasks.create('Please show yourself', { maxTurns: 1 })
    const task = await lab.tasks.reached(id, 'failed')
    expect(task).toMatchObject({ failureClass: 'turn_limit', attemptCount: 1 })
  })

  test('ends a run that takes longer than its timeout', async () => {
    const { id } = await lab.tasks.create('Please work slowly', { timeoutMs: 2_500 })
    const task = await lab.tasks.reached(id, 'failed')
    expect(task).toMatchObject({ failureClass: 'timeout', attemptCount: 1 })
  })

  test('leaves nothing behind in its own folder', async () => {
    await until('the folders to be gone', () => readdirSync(join(lab.here.home, 'runs')).length === 0)
  })
})

inTurn(EACH_CLI, 'a worker with its own settings, with the agent CLI %s', (test, version) => {
  let lab: LabWith<'claude' | 'here'>
  beforeAll(async () => {
    lab = await openLab({
      claude: { version, script: 'worker' },
      here: { settings: { 'worker.allow': [], 'worker.backgroundGraceSeconds': 1, 'worker.questionSeconds': 60 } },
    })
    await lab.here.startWorker()
  })
  afterAll(async () => lab.stop())

  const openQuestion = (id: string) =>
    until('a question', async () => (await lab.here.client.questions.list({ taskId: id, status: 'open' })).questions[0])

  test('asks whether a tool may be called, and does what is answered', async () => {
    const asked = join(lab.claude.project, 'asked.txt')
    const refused = await lab.tasks.create('Please ask me')
    const question = await openQuestion(refused.id)
    expect(question).toMatchObject({ toolName: 'Bash', input: { command: 'touch asked.txt' }, default: 'deny' })
    await lab.here.client.questions.answer(question.id, { behavior: 'deny', message: 'not today' })
    const task = await lab.tasks.reached(refused.id, 'completed')
    expect(existsSync(asked)).toBe(false)
    expect(lab.claude.lastShown(task.claudeSessionId ?? '')).toContain('not today')

    const allowed = await lab.tasks.create('Please ask me')
    await lab.here.client.questions.answer((await openQuestion(allowed.id)).id, { behavior: 'allow' })
    await lab.tasks.reached(allowed.id, 'completed')
    expect(existsSync(asked)).toBe(true)
  })

  test('withdraws what was asked when the run ends', async () => {
    const { id } = await lab.tasks.create('Please ask me')
    const question = await openQuestion(id)
    await lab.here.client.tasks.cancel(id)
    await lab.tasks.reached(id, 'cancelled')
    const { questions } = await lab.here.client.questions.list({ taskId: id })
    expect(questions.find((each) => each.id === question.id)?.status).toBe('withdrawn')
  })

  test('gives shells in the background a grace, then ends them, and the work counts', async () => {
    const { id } = await lab.tasks.create('Please start a shell')
    await lab.here.client.questions.answer((await openQuestion(id)).id, { behavior: 'allow' })
    const task = await lab.tasks.reached(id, 'completed')
    expect(task.output).toBe('Started it.')
    expect((await lab.tasks.words(id)).some((text) => text.includes('1 background shell: killed'))).toBe(true)
    const path = join(lab.claude.project, 'beat.txt')
    const size = statSync(path).size
    // Silence has no event: it is seen by a second look.
    await Bun.sleep(300)
    expect(statSync(path).size).toBe(size)
  })

  test('works in a worktree of its own when told so', async () => {
    const at = lab.claude.project
    writeFileSync(join(at, 'readme.txt'), 'hi')
    Bun.spawnSync(['git', 'add', 'readme.txt'], { cwd: at })
    Bun.spawnSync(['git', '-c', 'user.name=T', '-c', 'user.email=t@t.invalid', 'commit', '-qm', 'first'], { cwd: at })
    const { id } = await lab.tasks.create('Please commit something', { worktree: true, dir: at })
    await lab.here.client.questions.answer((await openQuestion(id)).id, { behavior: 'allow' })
    await lab.tasks.reached(id, 'completed')
    const [attempt] = await lab.tasks.attempts(id)
    expect(attempt).toMatchObject({ branch: `lode/${id}`, cwd: join(lab.here.home, 'worktrees', id) })
    expect(attempt?.base).toMatch(/^[0-9a-f]{40}$/)
    expect(existsSync(join(lab.here.home, 'worktrees', id))).toBe(false)
    const made = Bun.spawnSync(['git', 'show', '--stat', '--format=%s', `lode/${id}`], { cwd: at }).stdout.toString()
    expect(made).toContain('made.txt')
    expect(existsSync(join(at, 'made.txt'))).toBe(false)
  })
})

test('a question that nobody answers gets the default at its deadline', async () => {
  const settings = { 'worker.allow': [], 'worker.questionSeconds': 1 }
  const lab = await openLab({ claude: { version: NEWEST_CLI, script: 'worker' }, here: { settings } })
  try {
    await lab.here.startWorker()
    const { id } = await lab.tasks.create('Please ask me')
    await lab.tasks.reached(id, 'completed')
    const { questions } = await lab.here.client.questions.list({ taskId: id })
    expect(questions.map(({ status }) => status)).toEqual(['expired'])
    expect(existsSync(join(lab.claude.project, 'asked.txt'))).toBe(false)
  } finally {
    await lab.stop()
  }
})
