/** What sessions of other releases say, by lines as those wrote them. */
import { describe, expect, test } from 'bun:test'
import { eventTypes, pick, subagentsOf } from '../scenario'
import { AT, line, observe, parse, session } from './sessions'

const models = (lines: readonly string[]) =>
  pick(observe(session(lines)), 'session').flatMap(({ model }) => model ?? [])

test('a model that the CLI chooses for each answer is told by what it chose, and by the answers', () => {
  const picked = line(AT, 'session.model_change', { newModel: 'auto', reasoningEffort: null })
  const resumed = line(AT + 1, 'session.resume', { selectedModel: 'auto', context: { cwd: '/home/user' } })
  const chosen = line(AT + 2, 'session.auto_mode_resolved', { chosenModel: 'tide-1', candidateModels: ['tide-1'] })
  const answer = line(AT + 3, 'assistant.message', { model: 'tide-2', content: 'High at noon.', toolRequests: [] })
  expect(models([picked, resumed])).toEqual([])
  expect(models([picked, resumed, chosen, answer])).toEqual(['tide-1', 'tide-2'])
})

describe('sub-agents whose call stands for them', () => {
  /** As 1.0.55 writes them: lines name the call as the agent, and the answer names none. */
  const story = (prefix: string, telemetry: object | undefined, more: object) => [
    line(AT, 'tool.execution_start', {
      ...{ toolCallId: 'call-1', toolName: 'task' },
      arguments: { agent_type: 'explore', description: 'Tides', prompt: 'Look at the tides', mode: 'sync' },
    }),
    line(
      AT + 1,
      `${prefix}.started`,
      { toolCallId: 'call-1', agentName: 'explore', agentDisplayName: 'Explorer' },
      more,
    ),
    line(
      AT + 2,
      'assistant.message',
      { parentToolCallId: 'call-1', model: 'small-1', content: 'High at noon.', toolRequests: [] },
      more,
    ),
    line(AT + 3, `${prefix}.completed`, { toolCallId: 'call-1', agentName: 'explore' }, more),
    line(AT + 4, 'tool.execution_complete', {
      ...{ toolCallId: 'call-1', success: true, result: { content: 'High at noon.' } },
      ...(telemetry && { toolTelemetry: telemetry }),
    }),
  ]
  const sync = { properties: { agent_type: 'explore', execution_mode: 'sync' }, restrictedProperties: {} }

  test('an answer that was waited for shows the result, and the sub-agent has its own model', () => {
    for (const lines of [
      story('subagent', sync, { agentId: 'call-1' }),
      // Releases before February 2026 had other names, and no telemetry of launches.
      story('custom_agent', undefined, {}),
    ]) {
      const seen = observe(session(lines))
      expect(pick(seen, 'kind').filter(({ isKnown }) => !isKnown)).toEqual([])
      expect(subagentsOf(seen)).toMatchObject({
        'call-1': { toolUseId: 'call-1', type: 'explore', end: 'completed', result: 'High at noon.' },
      })
      const told = pick(seen, 'subagent')
      expect(told.flatMap(({ model }) => model ?? [])).toEqual(['small-1'])
      expect(told.flatMap(({ end }) => (end?.isShown ? [end.result] : []))).toEqual(['High at noon.'])
      expect(models(lines)).toEqual([])
    }
  })

  test('an answer that came at once shows none; what was launched is known after a restart', () => {
    const background = { properties: { execution_mode: 'background' }, restrictedProperties: {} }
    const shown = (lines: readonly string[], telemetry: object | undefined) => {
      const before = parse(session(lines.slice(0, 2)))
      const after = parse(
        session(story('subagent', telemetry, { agentId: 'call-1' }).slice(4)),
        9_000,
        before.carry ?? null,
      )
      return pick(after.observations, 'subagent').map(({ subagentId, end }) => [subagentId, end?.isShown])
    }
    const lines = story('subagent', sync, { agentId: 'call-1' })
    expect(shown(lines, sync)).toEqual([['call-1', true]])
    expect(shown(lines, background)).toEqual([['call-1', undefined]])
    expect(shown([], sync)).toEqual([])
    const many = Array.from({ length: 60 }, (_, n) =>
      line(AT, 'subagent.started', { toolCallId: `call-${'x'.repeat(90)}${n}` }),
    )
    const { carry } = parse(session(many))
    expect(carry?.length).toBeLessThan(1_000)
    expect(carry).toContain('x59')
  })
})

test('arguments and answers that are texts are read as well', () => {
  const seen = observe(
    session([
      line(AT, 'tool.execution_start', { toolCallId: 'c', toolName: 'create', arguments: '{"path":"/x/a.txt"}' }),
      line(AT + 1, 'assistant.message', {
        content: '',
        toolRequests: [{ toolCallId: 'c', name: 'create', arguments: '{"path":"/x/a.txt"}' }],
      }),
      line(AT + 2, 'tool.execution_complete', { toolCallId: 'c', success: true, result: 'written' }),
    ]),
  )
  expect(eventTypes(seen)).toEqual({ tool_call: 1, tool_result: 1 })
  expect(pick(seen, 'event').map(({ text }) => text)).toEqual(['create\n/x/a.txt', 'written'])
  expect(pick(seen, 'tool_call').map(({ files }) => files)).toEqual([['/x/a.txt'], ['/x/a.txt']])
})
