import { describe, expect, test } from 'bun:test'
import type { UntoldRun } from '../../domain/recall/manifest'
import { claimOf, dueStates, isClaimed, keyOfText, lineKey, manifestLine } from './manifest'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const run = (fields: Partial<UntoldRun> = {}): UntoldRun => ({
  evidence: 'test',
  shell: null,
  subagentKey: 1,
  number: 1,
  told: null,
  subagentId: 'a1',
  kind: 'agent',
  type: 'Explore',
  description: 'Look around',
  prompt: 'x'.repeat(300),
  outputFile: '/tmp/a1.output',
  sessionId: 's1',
  cwd: '/p',
  toolUseId: 'toolu_1',
  startedAt: NOW - 5_000,
  endedAt: null,
  status: null,
  lastWordsAt: null,
  result: null,
  host: { name: 'h', hostname: 'box' },
  signals: {
    activity: 'working',
    activityAt: null,
    activityEvidence: null,
    endedAt: null,
    endReason: null,
    processId: null,
    processState: null,
    processAt: null,
    fileGrewAt: null,
    lastEventAt: null,
  },
  ...fields,
})
const over = { ...run().signals, activity: 'ended' as const }

describe('what is to be told', () => {
  test('a launch, then its end, each once', () => {
    expect(dueStates(run())).toEqual(['launched'])
    expect(dueStates(run({ told: 'launched' }))).toEqual([])
    expect(dueStates(run({ told: 'launched', status: 'failed' }))).toEqual(['failed'])
    expect(dueStates(run({ told: 'failed', status: 'failed' }))).toEqual([])
  })

  test('a launch that was over when it was first seen has both lines', () => {
    expect(dueStates(run({ status: 'completed' }))).toEqual(['launched', 'completed'])
  })

  test('what has no end is lost once its session is over, and completed should its end come to light', () => {
    expect(dueStates(run({ told: 'launched', signals: over }))).toEqual(['lost'])
    expect(dueStates(run({ told: 'lost', signals: over }))).toEqual([])
    expect(dueStates(run({ told: 'lost', signals: over, status: 'completed' }))).toEqual(['completed'])
  })

  test('a claim keeps others away for ten seconds, and then means that nothing is certain', () => {
    const told = claimOf('completed', NOW)
    expect(isClaimed(told, NOW + 9_000)).toBe(true)
    expect(isClaimed(told, NOW + 11_000)).toBe(false)
    expect(isClaimed(told, NOW - 1)).toBe(false)
    expect(isClaimed('completed', NOW)).toBe(false)
    expect(dueStates(run({ told, status: 'completed' }))).toEqual(['launched', 'completed'])
  })
})

describe('a line', () => {
  test('has exactly these fields', () => {
    expect(manifestLine(run(), 'launched', NOW)).toEqual({
      timestamp: '2026-11-21T11:59:55.000Z',
      agent_id: 'a1',
      subagent_type: 'Explore',
      description: 'Look around',
      prompt_preview: 'x'.repeat(200),
      output_file: '/tmp/a1.output',
      session_id: 's1',
      cwd: '/p',
      status: 'launched',
      tool_use_id: 'toolu_1',
      host: 'box',
    })
    const end = manifestLine(run({ endedAt: NOW, status: 'completed', result: 'done' }), 'completed', NOW + 1)
    expect(end).toMatchObject({
      timestamp: '2026-11-21T12:00:00.000Z',
      ended_at: '2026-11-21T12:00:00.000Z',
      result_preview: 'done',
    })
    expect(manifestLine(run(), 'lost', NOW)).toMatchObject({ timestamp: '2026-11-21T12:00:00.000Z', ended_at: null })
  })

  test('takes a hostile run as it is: half characters, times that no clock shows, ids of 10 kB', () => {
    const line = manifestLine(
      run({
        prompt: `${'y'.repeat(199)}😀`,
        startedAt: 9e17,
        subagentId: 'z'.repeat(10_000),
        description: '\u0000\u001b[2J\n',
      }),
      'launched',
      NOW,
    )
    expect(line.prompt_preview).toBe('y'.repeat(199))
    expect(line.timestamp).toBe('2026-11-21T12:00:00.000Z')
    expect(line.agent_id).toHaveLength(4_096)
    expect(JSON.stringify(line)).not.toContain('\n')
  })

  test('is known again by what it says', () => {
    const line = manifestLine(run(), 'launched', NOW)
    expect(keyOfText(JSON.stringify(line))).toBe(lineKey(line))
    for (const text of ['', '{', 'null', '[]', '{"status":1}', '"x"']) expect(keyOfText(text)).toBeNull()
  })
})
