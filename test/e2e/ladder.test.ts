/** How an attempt gets its conversation: every rung with the real CLI, and what the model was shown by each. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../lab/until'
import type { Fleet } from './fleet'
import { CLI_AND_DATABASE, fleetOn } from './fleet-on'
import { settled } from './record'

describe.each(CLI_AND_DATABASE)('CLI %s on %s', (version, kind) => {
  let fleet: Fleet
  let remove: (() => Promise<void>) | undefined
  beforeAll(async () => {
    ;({ fleet, remove } = await fleetOn(version, kind))
    await fleet.startWorker({ name: 'w1', concurrency: 3 })
  }, 60_000)
  afterAll(() => remove?.(), 60_000)

  const sessionOf = async (id: string) => (await fleet.newest(id)).conversation?.sessionId ?? ''
  const remember = async (word: string) => {
    const { id } = await fleet.create(`Please remember ${word}`)
    await fleet.reached(id, 'completed')
    return { id, session: await sessionOf(id) }
  }

  test('native: paused in the middle of a tool call, it goes on in its own conversation', async () => {
    const { id, attempt } = await fleet.slowly('Please work slowly at PEAR')
    const session = attempt.conversation?.sessionId
    await fleet.pause(id)
    const beats = fleet.beats(id)
    const again = await fleet.resume(id)
    expect(again.conversation).toMatchObject({ rung: 'native', sessionId: session, resumedSessionId: session })
    expect(again.conversation?.whyNot).toEqual([])
    const shown = await fleet.shown(id, 2)
    expect(shown.before).toContain('Please work slowly at PEAR')
    expect(shown.isContinued).toBe(true)
    expect(fleet.beats(id)).toBe(beats)
  }, 90_000)

  test("restored: the transcript and its sub-agents' files were deleted", async () => {
    const { id, attempt } = await fleet.slowly('Please use a helper for FIG')
    const session = attempt.conversation?.sessionId ?? ''
    const { transcripts } = fleet.world.lab
    const helpers = join(transcripts, session, 'subagents')
    await until('the report of the helper', () =>
      fleet.world.lab.requests().some(({ who, session: in_, step }) => who === 'sub' && in_ === session && step === 1),
    )
    await fleet.pause(id)
    await settled(fleet.client, transcripts, session)
    const before = new Map(readdirSync(helpers).map((name) => [name, readFileSync(join(helpers, name))]))
    expect([...before.keys()].some((name) => name.endsWith('.jsonl'))).toBe(true)
    rmSync(fleet.world.lab.transcript(session))
    rmSync(join(transcripts, session), { recursive: true })
    const again = await fleet.resume(id)
    expect(again.conversation).toMatchObject({
      rung: 'restored',
      sessionId: session,
      whyNot: [{ rung: 'native', reason: 'transcript_missing' }],
    })
    expect(await fleet.words(id)).toContain(`restored session ${session.slice(0, 8)} from the record`)
    const shown = await fleet.shown(id, 2)
    expect(shown.before).toContain('Please use a helper for FIG')
    for (const [name, bytes] of before) expect(readFileSync(join(helpers, name)).equals(bytes)).toBe(true)
  }, 90_000)

  test('snapshot: in a chain of children each sees what all before it were told', async () => {
    const a = await remember('APPLE')
    const b = await fleet.create('Please remember BANANA', { parentTaskId: a.id })
    await fleet.reached(b.id, 'completed')
    const c = await fleet.create('Tell me which words', { parentTaskId: b.id })
    await fleet.reached(c.id, 'completed')
    expect((await fleet.newest(c.id)).conversation).toMatchObject({
      rung: 'snapshot',
      forked: true,
      resumedSessionId: await sessionOf(b.id),
      whyNot: [],
    })
    const { before, prompt } = await fleet.shown(c.id)
    expect(before).toContain('Noted: the word is APPLE.')
    expect(before).toContain('Noted: the word is BANANA.')
    expect(prompt).toContain('Tell me which words')
    expect(await fleet.words(c.id)).toContain(`resuming parent session ${(await sessionOf(b.id)).slice(0, 8)} (fork)`)
  }, 90_000)

  test('snapshot: two children side by side leave the parent untouched, and the fork point is kept', async () => {
    const parent = await remember('CHERRY')
    const path = fleet.world.lab.transcript(parent.session)
    const bytes = readFileSync(path)
    const children = await Promise.all(
      ['left', 'right'].map((side) => fleet.slowly(`Please work slowly on the ${side}`, { parentTaskId: parent.id })),
    )
    const sessions = children.map(({ attempt }) => attempt.conversation?.sessionId)
    expect(new Set([...sessions, parent.session]).size).toBe(3)
    for (const { id, attempt } of children) {
      expect(attempt.conversation).toMatchObject({ rung: 'snapshot', forked: true, resumedSessionId: parent.session })
      expect(bytes.toString()).toContain(`"uuid":"${attempt.conversation?.forkPoint}"`)
      expect((await fleet.shown(id)).before).toContain('Noted: the word is CHERRY.')
      await fleet.client.tasks.cancel(id)
      await fleet.reached(id, 'cancelled')
    }
    expect(readFileSync(path).equals(bytes)).toBe(true)
    await until('the record to know the fork', async () => {
      const { session } = await fleet.client.sessions.get(sessions[0] ?? '')
      return session.forkedFrom === parent.session
    })
  }, 90_000)

  test('snapshot: a child of a parent at work waits for it, and with continueNow sees its last finished turn', async () => {
    const first = await remember('DATE')
    const parent = await fleet.slowly('Please work slowly in the middle', { parentTaskId: first.id })
    const waiting = await fleet.create('Tell me which words', { parentTaskId: parent.id })
    expect(waiting).toMatchObject({ status: 'pending', waitingFor: 'parent' })
    const now = await fleet.create('Tell me which words now', { parentTaskId: parent.id, continueNow: true })
    await fleet.reached(now.id, 'completed')
    const early = await fleet.shown(now.id)
    expect(early.before).toContain('Noted: the word is DATE.')
    expect(early.before).not.toContain('work slowly in the middle')
    expect((await fleet.task(waiting.id)).waitingFor).toBe('parent')
    // Killed, so that it does not work for a minute: its next attempt comes to the end.
    process.kill(parent.attempt.process?.pid ?? 0, 'SIGKILL')
    await fleet.reached(parent.id, 'completed')
    await fleet.reached(waiting.id, 'completed')
    const late = await fleet.shown(waiting.id)
    expect(late.before).toContain('work slowly in the middle')
    expect(late.before).toContain('Went on to the end.')
    // The call that was killed is answered for, or is not there.
    const calls = [...late.before.matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map(([, call]) => call)
    for (const call of calls) expect(late.before).toContain(`"tool_use_id":"${call}"`)
  }, 90_000)

  test('the working directory moved: a child forks, the task itself is restored there', async () => {
    const elsewhere = join(fleet.world.lab.root, 'elsewhere')
    mkdirSync(elsewhere, { recursive: true })
    const parent = await remember('ELDER')
    const child = await fleet.create('Tell me which words', { parentTaskId: parent.id, dir: elsewhere })
    await fleet.reached(child.id, 'completed')
    expect(await fleet.newest(child.id)).toMatchObject({ cwd: elsewhere, conversation: { rung: 'snapshot' } })
    expect((await fleet.shown(child.id)).before).toContain('Noted: the word is ELDER.')
    const { id, attempt } = await fleet.slowly('Please work slowly and move')
    await fleet.pause(id)
    await fleet.client.tasks.patch(id, { dir: elsewhere })
    const again = await fleet.resume(id)
    const session = attempt.conversation?.sessionId
    expect(again).toMatchObject({ cwd: elsewhere, conversation: { rung: 'restored', sessionId: session } })
    expect((await fleet.shown(id, 2)).before).toContain('Please work slowly and move')
  }, 90_000)

  test('fresh: a parent that is not there, or has no conversation, is told in show, log and feed', async () => {
    const lonely = await fleet.create('Tell me which words', { parentTaskId: 't-00000000' })
    const idle = await fleet.create('Never begun', { status: 'backlog' })
    const child = await fleet.create('Tell me which words', { parentTaskId: idle.id })
    for (const [{ id }, reason, words] of [
      [lonely, 'parent_not_found', 'parent session not found: starting fresh'],
      [child, 'parent_has_no_session', 'the parent has no session: starting fresh'],
    ] as const) {
      await fleet.reached(id, 'completed')
      expect((await fleet.newest(id)).conversation).toMatchObject({
        rung: 'fresh',
        resumedSessionId: null,
        whyNot: [{ rung: 'snapshot', reason }],
      })
      expect(await fleet.words(id)).toContain(words)
      expect((await fleet.world.lode('task', 'show', id)).stdout).toMatch(/fresh: session .* is new\n +not snapshot: /)
      const { entries } = await fleet.client.feed.page({ kinds: ['attempt.updated'], limit: 1_000 })
      const told = entries.filter(({ data }) => data.taskId === id)
      expect(JSON.stringify(told)).toContain(reason)
      const { before, isContinued, prompt } = await fleet.shown(id)
      expect([before, isContinued]).toEqual(['', false])
      expect(prompt).toContain('starts without an earlier conversation')
    }
    await fleet.client.tasks.cancel(idle.id)
  }, 90_000)

  test('a conversation that another process has open is gone on with in a copy, and it says so', async () => {
    const { id, attempt } = await fleet.slowly('Please work slowly with a guest')
    const session = attempt.conversation?.sessionId ?? ''
    await fleet.pause(id)
    const guest = fleet.world.lab.steer({ resume: session })
    guest.send({ type: 'user', message: { role: 'user', content: 'Please remember GUEST' } })
    await until('the guest to be answered', () =>
      readFileSync(fleet.world.lab.transcript(session), 'utf8').includes('Noted: the word is GUEST.'),
    )
    const again = await fleet.resume(id)
    guest.end()
    await guest.exited
    expect(again.conversation).toMatchObject({ rung: 'snapshot', resumedSessionId: session, forked: true })
    expect(again.conversation?.whyNot).toMatchObject([
      { rung: 'native', reason: 'session_open', detail: expect.stringContaining(`pid ${guest.pid}`) },
      { rung: 'restored', reason: 'session_open' },
    ])
    expect((await fleet.words(id)).join('\n')).toContain('is open elsewhere: continuing in a copy')
    expect((await fleet.shown(id, 2)).before).toContain('Please work slowly with a guest')
  }, 90_000)

  test.each([
    ['garbage', (bytes: Buffer) => Buffer.alloc(bytes.length, 'garbage\n')],
    ['zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['other lines', (bytes: Buffer) => Buffer.from('{"type":"mode","mode":"x"}\n'.repeat(1 + bytes.length / 27))],
    ['its first half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['nothing', () => Buffer.alloc(0)],
  ])(
    'a transcript that holds %s is not resumed blank',
    async (kept, spoil) => {
      const { id, attempt } = await fleet.slowly('Please work slowly and be spoilt')
      const session = attempt.conversation?.sessionId ?? ''
      await fleet.pause(id)
      const path = fleet.world.lab.transcript(session)
      await settled(fleet.client, fleet.world.lab.transcripts, session)
      writeFileSync(path, spoil(readFileSync(path)))
      const again = await fleet.resume(id)
      const shown = await fleet.shown(id, again.number)
      const { rung } = again.conversation ?? {}
      expect(JSON.stringify([rung, again.conversation?.whyNot])).not.toContain('"fresh"')
      // Either the conversation, or a summary of it; never one for the other.
      if (rung === 'preamble') expect(shown.prompt).toContain('A summary of it follows')
      else expect(shown.before).toContain('Please work slowly and be spoilt')
      // A file that was cut short may have been by a person: it is what the conversation is now.
      if (kept !== 'its first half') expect(again.conversation?.whyNot).not.toEqual([])
      expect(existsSync(path)).toBe(true)
    },
    120_000,
  )

  test('preamble: a saturated conversation is summed up in a new one', async () => {
    const parent = await remember('LEMON')
    const { id } = await fleet.create('Please fill it up', {
      parentTaskId: parent.id,
      retryPolicy: { initialIntervalMs: 10 },
    })
    await fleet.reached(id, 'completed')
    const [first, second] = await fleet.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'prompt_too_long' })
    expect(second?.conversation).toMatchObject({
      rung: 'preamble',
      whyNot: [{ rung: 'snapshot', reason: 'prompt_too_long' }],
    })
    const { before, isContinued, prompt } = await fleet.shown(id, 2)
    expect([before, isContinued]).toEqual(['', false])
    expect(prompt).toContain('A summary of it follows')
    expect(prompt).toContain('Noted: the word is LEMON.')
    expect(prompt).toContain('Please fill it up')
  }, 90_000)

  test('a retry after a failure goes on in the same conversation, under the same id', async () => {
    const { id } = await fleet.create('Please break once', { retryPolicy: { maximumAttempts: 1 } })
    expect(await fleet.reached(id, 'failed')).toMatchObject({
      failureReason: expect.stringContaining('this can not be'),
    })
    await fleet.client.tasks.retry(id)
    expect(await fleet.reached(id, 'completed')).toMatchObject({ output: 'Went on to the end.', attemptCount: 2 })
    const [first, second] = await fleet.attempts(id)
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: first?.conversation?.sessionId })
    expect((await fleet.shown(id, 2)).before).toContain('Please break once')
  }, 90_000)
})
