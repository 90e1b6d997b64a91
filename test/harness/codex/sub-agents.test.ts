/** What rollouts of other releases say about sub-agents, by lines as those wrote them. */
import { describe, expect, test } from 'bun:test'
import { pick, subagentsOf } from '../scenario'
import { AT, event, idAt, item, meta, observe, parse, rollout } from './rollouts'

const OWN = idAt(AT, 1)
const [ONE, TWO] = [idAt(AT + 5, 2), idAt(AT + 6, 3)]

const call = (at: number, name: string, id: string, input: object): string =>
  item(at, { type: 'function_call', name, arguments: JSON.stringify(input), call_id: id })
const answer = (at: number, id: string, output: object): string =>
  item(at, { type: 'function_call_output', call_id: id, output: JSON.stringify(output) })
const seenIn = (lines: readonly string[]) => observe([rollout(OWN, [meta(AT, OWN), ...lines])])

describe('of the second generation, before there were finished items (0.144 to 0.147)', () => {
  const activity = (at: number, kind: string, id: string, more: object = {}) =>
    event(at, {
      ...{ type: 'sub_agent_activity', event_id: id, occurred_at_ms: at },
      ...{ agent_thread_id: ONE, agent_path: '/root/tides', kind, ...more },
    })
  const launch = [
    call(AT + 1, 'spawn_agent', 'call-1', { task_name: 'tides', message: 'gAAAA', fork_turns: 'none' }),
    activity(AT + 2, 'started', 'call-1'),
    answer(AT + 3, 'call-1', { task_name: '/root/tides' }),
  ]

  test('an event names the thread that a call launched, and one that it was stopped', () => {
    const seen = seenIn([
      ...launch,
      activity(AT + 8, 'interacted', 'call-2'),
      activity(AT + 9, 'interrupted', 'call-3'),
    ])
    expect(subagentsOf(seen)).toMatchObject({
      [ONE]: { toolUseId: 'call-1', description: '/root/tides', isBackground: true, end: 'killed' },
    })
    expect(pick(seen, 'subagent').filter(({ run }) => run?.isStart)).toHaveLength(1)
  })

  test('its answer is shown where the launcher gets it, also after a restart', () => {
    const says = (author: string, text: string) =>
      item(AT + 20, { type: 'agent_message', author, recipient: '/root', content: [{ type: 'input_text', text }] })
    const final = 'Message Type: FINAL_ANSWER\nTask name: /root\nSender: /root/tides\nPayload:\nHigh at noon.'
    const looks = (line: string) => {
      const before = parse(rollout(OWN, [meta(AT, OWN), ...launch]))
      const after = parse(rollout(OWN, [line]), 10_000, before.carry ?? null)
      expect(pick(after.observations, 'event').map(({ type }) => type)).toEqual(['notice'])
      return pick(after.observations, 'subagent').map(({ subagentId, look }) => [subagentId, look])
    }
    expect(looks(says('/root/tides', final))).toEqual([[ONE, { at: AT + 20, isWhole: true }]])
    expect(looks(says('/root/tides', 'Message Type: MESSAGE\nPayload:\nHalf done.'))).toEqual([])
    expect(looks(says('/root/other', final))).toEqual([])
  })

  test('what is kept of many sub-agents stays short, and the newest are known', () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      activity(AT + n, 'started', `call-${n}`, {
        agent_thread_id: idAt(AT + n, n),
        agent_path: `/root/${'p'.repeat(90)}${n}`,
      }),
    )
    const carry = parse(rollout(OWN, [meta(AT, OWN), ...many])).carry ?? ''
    expect(carry.length).toBeLessThan(1_000)
    expect(carry).toContain(idAt(AT + 39, 39))
  })
})

describe('of the first generation, before there were finished items (to 0.143)', () => {
  test('an event names the thread that a call launched, also where the answer of the call does not', () => {
    const seen = seenIn([
      call(AT + 1, 'spawn_agent', 'call-1', { agent_type: 'worker', message: 'Look at the tides' }),
      event(AT + 2, {
        ...{ type: 'collab_agent_spawn_end', call_id: 'call-1', sender_thread_id: OWN, new_thread_id: ONE },
        ...{ new_agent_nickname: 'Ada', new_agent_role: 'worker', prompt: 'Look at the tides', model: 'gpt-5.5' },
        status: 'pending_init',
      }),
    ])
    expect(subagentsOf(seen)).toEqual({ [ONE]: { toolUseId: 'call-1', type: 'worker', isBackground: true } })
    expect(pick(seen, 'subagent')).toMatchObject([{ prompt: 'Look at the tides', model: 'gpt-5.5' }])
  })

  const ends = (lines: readonly string[]) =>
    pick(seenIn(lines), 'subagent').map(({ subagentId, end }) => [subagentId, end?.status, end?.result, end?.isShown])

  test('the answer of a call that waited shows what each thread said', () => {
    const status = { [ONE]: { completed: 'High at noon.' }, [TWO]: { errored: 'no map' } }
    const waited = call(AT + 1, 'wait_agent', 'call-2', { targets: [ONE, TWO] })
    const shown = [
      [ONE, 'completed', 'High at noon.', true],
      [TWO, 'failed', 'no map', true],
    ]
    expect(ends([waited, answer(AT + 2, 'call-2', { status, timed_out: false })])).toEqual(shown)
    expect(ends([event(AT + 2, { type: 'collab_waiting_end', call_id: 'call-2', statuses: status })])).toEqual(shown)
    expect(ends([waited, answer(AT + 2, 'call-2', { status: {}, timed_out: true })])).toEqual([])
    // Another tool may answer in words like these.
    expect(ends([answer(AT + 2, 'call-3', { status: { build: { completed: 'yes' } } })])).toEqual([])
  })

  test('an event tells how a thread stood when it was closed', () => {
    const closed = (status: unknown) =>
      event(AT + 2, { type: 'collab_close_end', call_id: 'call-4', receiver_thread_id: ONE, status })
    expect(ends([closed({ completed: 'High at noon.' })])).toEqual([[ONE, 'completed', 'High at noon.', undefined]])
    expect(ends([closed('running')])).toEqual([])
    expect(ends([event(AT, { type: 'collab_close_end', receiver_thread_id: { a: 1 }, status: [] })])).toEqual([])
  })
})
