/** How an attempt gets its conversation: every rung with the real CLI, and what the model was shown by each. */
import { afterAll, beforeAll, expect } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurn } from '../../lab/in-turn'
import { until } from '../../lab/until'
import { settled } from '../record/record'
import { CLI_AND_DATABASE, type Fleet, openLadder } from './fleet'

inTurn(CLI_AND_DATABASE, 'CLI %s on %s', (test, version, kind) => {
  let lab: Fleet
  beforeAll(async () => {
    lab = await openLadder(version, kind)
    await lab.workers.start({ name: 'w1', concurrency: 3 })
  })
  afterAll(() => lab?.stop(), 60_000)

  const sessionOf = async (id: string) => (await lab.tasks.newest(id)).conversation?.sessionId ?? ''
  const remember = async (word: string) => {
    const { id } = await lab.tasks.create(`Please remember ${word}`)
    await lab.tasks.reached(id, 'completed')
    return { id, session: await sessionOf(id) }
  }

  test('native: paused in the middle of a tool call, it goes on in its own conversation', async () => {
    const { id, attempt } = await lab.tasks.slowly('Please work slowly at PEAR')
    const session = attempt.conversation?.sessionId
    await lab.tasks.pause(id)
    const beats = lab.tasks.beats(id)
    const again = await lab.tasks.resume(id)
    expect(again.conversation).toMatchObject({ rung: 'native', sessionId: session, resumedSessionId: session })
    expect(again.conversation?.whyNot).toEqual([])
    const shown = await lab.tasks.shown(id, 2)
    expect(shown.before).toContain('Please work slowly at PEAR')
    expect(shown.isContinued).toBe(true)
    expect(lab.tasks.beats(id)).toBe(beats)
  })

  test("restored: the transcript and its sub-agents' files were deleted", async () => {
    const { id, attempt } = await lab.tasks.slowly('Please use a helper for FIG')
    const session = attempt.conversation?.sessionId ?? ''
    const { transcripts } = lab.claude
    const helpers = join(transcripts, session, 'subagents')
    await until('the report of the helper', () =>
      lab.claude.requests().some(({ who, session: in_, step }) => who === 'sub' && in_ === session && step === 1),
    )
    await lab.tasks.pause(id)
    await settled(lab.lode.client, transcripts, session)
    const before = new Map(readdirSync(helpers).map((name) => [name, readFileSync(join(helpers, name))]))
    expect([...before.keys()].some((name) => name.endsWith('.jsonl'))).toBe(true)
    rmSync(lab.claude.transcript(session))
    rmSync(join(transcripts, session), { recursive: true })
    const again = await lab.tasks.resume(id)
    expect(again.conversation).toMatchObject({
      rung: 'restored',
      sessionId: session,
      whyNot: [{ rung: 'native', reason: 'transcript_missing' }],
    })
    expect(await lab.tasks.words(id)).toContain(`restored session ${session.slice(0, 8)} from the record`)
    const shown = await lab.tasks.shown(id, 2)
    expect(shown.before).toContain('Please use a helper for FIG')
    for (const [name, bytes] of before) expect(readFileSync(join(helpers, name)).equals(bytes)).toBe(true)
  })

  test('snapshot: in a chain of children each sees what all before it were told', async () => {
    const a = await remember('APPLE')
    const b = await lab.tasks.create('Please remember BANANA', { parentTaskId: a.id })
    await lab.tasks.reached(b.id, 'completed')
    const c = await lab.tasks.create('Tell me which words', { parentTaskId: b.id })
    await lab.tasks.reached(c.id, 'completed')
    expect((await lab.tasks.newest(c.id)).conversation).toMatchObject({
      rung: 'snapshot',
      forked: true,
      resumedSessionId: await sessionOf(b.id),
      whyNot: [],
    })
    const { before, prompt } = await lab.tasks.shown(c.id)
    expect(before).toContain('Noted: the word is APPLE.')
    expect(before).toContain('Noted: the word is BANANA.')
    expect(prompt).toContain('Tell me which words')
    expect(await lab.tasks.words(c.id)).toContain(
      `resuming parent session ${(await sessionOf(b.id)).slice(0, 8)} (fork)`,
    )
  })

  test('snapshot: two children side by side leave the parent untouched, and the fork point is kept', async () => {
    const parent = await remember('CHERRY')
    const path = lab.claude.transcript(parent.session)
    const bytes = readFileSync(path)
    const children = await Promise.all(
      ['left', 'right'].map((side) =>
        lab.tasks.slowly(`Please work slowly on the ${side}`, { parentTaskId: parent.id }),
      ),
    )
    const sessions = children.map(({ attempt }) => attempt.conversation?.sessionId)
    expect(new Set([...sessions, parent.session]).size).toBe(3)
    for (const { id, attempt } of children) {
      expect(attempt.conversation).toMatchObject({ rung: 'snapshot', forked: true, resumedSessionId: parent.session })
      expect(bytes.toString()).toContain(`"uuid":"${attempt.conversation?.forkPoint}"`)
      expect((await lab.tasks.shown(id)).before).toContain('Noted: the word is CHERRY.')
      await lab.lode.client.tasks.cancel(id)
      await lab.tasks.reached(id, 'cancelled')
    }
    expect(readFileSync(path).equals(bytes)).toBe(true)
    await until('the record to know the fork', async () => {
      const { session } = await lab.lode.client.sessions.get(sessions[0] ?? '')
      return session.forkedFrom === parent.session
    })
  })

  test('snapshot: a child of a parent at work waits for it, and with continueNow sees its last finished turn', async () => {
    const first = await remember('DATE')
    const parent = await lab.tasks.slowly('Please work slowly in the middle', { parentTaskId: first.id })
    const waiting = await lab.tasks.create('Tell me which words', { parentTaskId: parent.id })
    expect(waiting).toMatchObject({ status: 'pending', waitingFor: 'parent' })
    const now = await lab.tasks.create('Tell me which words now', { parentTaskId: parent.id, continueNow: true })
    await lab.tasks.reached(now.id, 'completed')
    const early = await lab.tasks.shown(now.id)
    expect(early.before).toContain('Noted: the word is DATE.')
    expect(early.before).not.toContain('work slowly in the middle')
    expect((await lab.tasks.get(waiting.id)).waitingFor).toBe('parent')
    // Killed, so that it does not work for a minute: its next attempt comes to the end.
    process.kill(parent.attempt.process?.pid ?? 0, 'SIGKILL')
    await lab.tasks.reached(parent.id, 'completed')
    await lab.tasks.reached(waiting.id, 'completed')
    const late = await lab.tasks.shown(waiting.id)
    expect(late.before).toContain('work slowly in the middle')
    expect(late.before).toContain('Went on to the end.')
    // The call that was killed is answered for, or is not there.
    const calls = [...late.before.matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map(([, call]) => call)
    for (const call of calls) expect(late.before).toContain(`"tool_use_id":"${call}"`)
  })

  test('the working directory moved: a child forks, the task itself is restored there', async () => {
    const elsewhere = join(lab.claude.root, 'elsewhere')
    mkdirSync(elsewhere, { recursive: true })
    const parent = await remember('ELDER')
    const child = await lab.tasks.create('Tell me which words', { parentTaskId: parent.id, dir: elsewhere })
    await lab.tasks.reached(child.id, 'completed')
    expect(await lab.tasks.newest(child.id)).toMatchObject({ cwd: elsewhere, conversation: { rung: 'snapshot' } })
    expect((await lab.tasks.shown(child.id)).before).toContain('Noted: the word is ELDER.')
    const { id, attempt } = await lab.tasks.slowly('Please work slowly and move')
    await lab.tasks.pause(id)
    await lab.lode.client.tasks.patch(id, { dir: elsewhere })
    const again = await lab.tasks.resume(id)
    const session = attempt.conversation?.sessionId
    expect(again).toMatchObject({ cwd: elsewhere, conversation: { rung: 'restored', sessionId: session } })
    expect((await lab.tasks.shown(id, 2)).before).toContain('Please work slowly and move')
  })

  test('fresh: a parent that is not there, or has no conversation, is told in show, log and feed', async () => {
    const lonely = await lab.tasks.create('Tell me which words', { parentTaskId: 't-00000000' })
    const idle = await lab.tasks.create('Never begun', { status: 'backlog' })
    const child = await lab.tasks.create('Tell me which words', { parentTaskId: idle.id })
    for (const [{ id }, reason, words] of [
      [lonely, 'parent_not_found', 'parent session not found: starting fresh'],
      [child, 'parent_has_no_session', 'the parent has no session: starting fresh'],
    ] as const) {
      await lab.tasks.reached(id, 'completed')
      expect((await lab.tasks.newest(id)).conversation).toMatchObject({
        rung: 'fresh',
        resumedSessionId: null,
        whyNot: [{ rung: 'snapshot', reason }],
      })
      expect(await lab.tasks.words(id)).toContain(words)
      expect((await lab.lode.lode('task', 'show', id)).stdout).toMatch(/fresh: session .* is new\n +not snapshot: /)
      const { entries } = await lab.lode.client.feed.page({ kinds: ['attempt.updated'], limit: 1_000 })
      const told = entries.filter(({ data }) => data.taskId === id)
      expect(JSON.stringify(told)).toContain(reason)
      const { before, isContinued, prompt } = await lab.tasks.shown(id)
      expect([before, isContinued]).toEqual(['', false])
      expect(prompt).toContain('starts without an earlier conversation')
    }
    await lab.lode.client.tasks.cancel(idle.id)
  })

  test('a conversation that another process has open is gone on with in a copy, and it says so', async () => {
    const { id, attempt } = await lab.tasks.slowly('Please work slowly with a guest')
    const session = attempt.conversation?.sessionId ?? ''
    await lab.tasks.pause(id)
    const guest = lab.claude.steer({ resume: session })
    guest.send({ type: 'user', message: { role: 'user', content: 'Please remember GUEST' } })
    await until('the guest to be answered', () =>
      readFileSync(lab.claude.transcript(session), 'utf8').includes('Noted: the word is GUEST.'),
    )
    const again = await lab.tasks.resume(id)
    guest.end()
    await guest.exited
    expect(again.conversation).toMatchObject({ rung: 'snapshot', resumedSessionId: session, forked: true })
    expect(again.conversation?.whyNot).toMatchObject([
      { rung: 'native', reason: 'session_open', detail: expect.stringContaining(`pid ${guest.pid}`) },
      { rung: 'restored', reason: 'session_open' },
    ])
    expect((await lab.tasks.words(id)).join('\n')).toContain('is open elsewhere: continuing in a copy')
    expect((await lab.tasks.shown(id, 2)).before).toContain('Please work slowly with a guest')
  })

  test.each([
    ['garbage', (bytes: Buffer) => Buffer.alloc(bytes.length, 'garbage\n')],
    ['zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['other lines', (bytes: Buffer) => Buffer.from('{"type":"mode","mode":"x"}\n'.repeat(1 + bytes.length / 27))],
    ['its first half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['nothing', () => Buffer.alloc(0)],
  ])('a transcript that holds %s is not resumed blank', async (kept, spoil) => {
    const { id, attempt } = await lab.tasks.slowly('Please work slowly and be spoilt')
    const session = attempt.conversation?.sessionId ?? ''
    await lab.tasks.pause(id)
    const path = lab.claude.transcript(session)
    await settled(lab.lode.client, lab.claude.transcripts, session)
    writeFileSync(path, spoil(readFileSync(path)))
    const again = await lab.tasks.resume(id)
    const shown = await lab.tasks.shown(id, again.number)
    const { rung } = again.conversation ?? {}
    expect(JSON.stringify([rung, again.conversation?.whyNot])).not.toContain('"fresh"')
    // Either the conversation, or a summary of it; never one for the other.
    if (rung === 'preamble') expect(shown.prompt).toContain('A summary of it follows')
    else expect(shown.before).toContain('Please work slowly and be spoilt')
    // A file that was cut short may have been by a person: it is what the conversation is now.
    if (kept !== 'its first half') expect(again.conversation?.whyNot).not.toEqual([])
    expect(existsSync(path)).toBe(true)
  })

  test('preamble: a saturated conversation is summed up in a new one', async () => {
    const parent = await remember('LEMON')
    const { id } = await lab.tasks.create('Please fill it up', {
      parentTaskId: parent.id,
      retryPolicy: { initialIntervalMs: 10 },
    })
    await lab.tasks.reached(id, 'completed')
    const [first, second] = await lab.tasks.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'prompt_too_long' })
    expect(second?.conversation).toMatchObject({
      rung: 'preamble',
      whyNot: [{ rung: 'snapshot', reason: 'prompt_too_long' }],
    })
    const { before, isContinued, prompt } = await lab.tasks.shown(id, 2)
    expect([before, isContinued]).toEqual(['', false])
    expect(prompt).toContain('A summary of it follows')
    expect(prompt).toContain('Noted: the word is LEMON.')
    expect(prompt).toContain('Please fill it up')
  })

  test('a retry after a failure goes on in the same conversation, under the same id', async () => {
    const { id } = await lab.tasks.create('Please break once', { retryPolicy: { maximumAttempts: 1 } })
    expect(await lab.tasks.reached(id, 'failed')).toMatchObject({
      failureReason: expect.stringContaining('this can not be'),
    })
    await lab.lode.client.tasks.retry(id)
    expect(await lab.tasks.reached(id, 'completed')).toMatchObject({ output: 'Went on to the end.', attemptCount: 2 })
    const [first, second] = await lab.tasks.attempts(id)
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: first?.conversation?.sessionId })
    expect((await lab.tasks.shown(id, 2)).before).toContain('Please break once')
  })
})
