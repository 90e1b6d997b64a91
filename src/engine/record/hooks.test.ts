import { describe, expect, test } from 'bun:test'
import type { Harness } from '../../domain/harness/harness'
import { encodeHookLine, type HookEnvelope } from '../../util/hook-journal'
import { FINALIZED, parseHookLines } from './hooks'

/** Says who read a payload. */
const harnessOf = (agent: string): Pick<Harness, 'parseHook'> => ({
  parseHook: (payload, at) => ({
    sessionId: String((payload as { session_id: string }).session_id),
    transcriptPath: null,
    observations: [{ kind: 'activity', uuid: null, at, state: 'working', evidence: agent }],
  }),
})

function read(...lines: [Partial<HookEnvelope>, object][]) {
  const envelope: HookEnvelope = { at: 1_000, pid: 1, ppid: 1, env: {}, isCut: false }
  const bytes = lines.map(([more, payload]) =>
    encodeHookLine({ ...envelope, ...more }, Buffer.from(JSON.stringify(payload))),
  )
  return parseHookLines(harnessOf as (agent: string) => Harness, 'first', Buffer.concat(bytes), 0).hooks
}

describe('a line of the hook journal', () => {
  test('is read by the harness that it names, else by the one whose journal it is', () => {
    const hooks = read([{ agent: 'second' }, { session_id: 'b' }], [{}, { session_id: 'a' }])
    expect(hooks).toMatchObject([
      { sessionId: 'a', agent: 'first', observations: [{ evidence: 'first' }] },
      { sessionId: 'b', agent: 'second', observations: [{ evidence: 'second' }] },
    ])
  })

  test('with a name that can be none is read by the one whose journal it is', () => {
    expect(read([{ agent: '../x' }, { session_id: 'a' }])).toMatchObject([{ agent: 'first' }])
  })

  test('that ends a list is a word of ours, whatever the agent', () => {
    const [hook] = read([{ agent: 'second' }, { session_id: 'a', ...FINALIZED }])
    expect(hook).toMatchObject({ agent: 'second', observations: [{ state: 'ended', reason: 'finalized' }] })
  })
})
