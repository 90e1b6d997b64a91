import { describe, expect, test } from 'bun:test'
import { readAnswer, readCall } from '.'

const PLACE = { uuid: null, toolUseId: 'toolu_1', subagentId: null, at: 1_795_170_332_452 }
const call = (name: string, input: unknown) => readCall(name, input, PLACE)
const answer = (structured: unknown, content: unknown = '', subagentId: string | null = null) =>
  readAnswer(structured, content, { ...PLACE, subagentId }, 'transcript:tool_result')
const change = (seen: ReturnType<typeof readCall>) => seen.map((one) => (one.kind === 'todo' ? one.change : one.kind))

describe('to-dos', () => {
  test('a call of TodoWrite is the whole list; a status that does not exist is open', () => {
    const todos = [
      { content: 'A', activeForm: 'Doing A', status: 'in_progress' },
      { content: 'B', status: 'nearly' },
      { status: 'pending' },
      7,
    ]
    expect(change(call('TodoWrite', { todos }))).toEqual([
      {
        op: 'snapshot',
        items: [
          { content: 'A', activeForm: 'Doing A', status: 'in_progress' },
          { content: 'B', status: 'pending' },
        ],
      },
    ])
    expect(change(call('mcp__lodeline__update-todos', { todos: todos.slice(1, 2) }))).toEqual([
      { op: 'snapshot', items: [{ content: 'B', status: 'pending' }] },
    ])
    expect(call('TodoWrite', { todos: 'none' })).toEqual([])
    expect(call('Bash', { todos })).toEqual([])
  })

  test('a list that nobody can work on is cut, and says by how much', () => {
    const [cut] = change(
      call('TodoWrite', { todos: Array.from({ length: 3_000 }, () => ({ content: 'x'.repeat(10_000) })) }),
    )
    expect(cut).toMatchObject({ op: 'snapshot', leftOut: 1_000 })
    const [whole] = change(call('TodoWrite', { todos: Array.from({ length: 3_000 }, () => ({ content: 'x' })) }))
    expect(whole).not.toHaveProperty('leftOut')
  })

  test('TaskCreate: the call has the words, the answer the id', () => {
    expect(change(call('TaskCreate', { subject: 'S', description: 'D', activeForm: 'F' }))).toEqual([
      { op: 'create_input', subject: 'S', description: 'D', activeForm: 'F' },
    ])
    const created = { op: 'create' as const, nativeId: '7', subject: 'S' }
    expect(change(answer({ task: { id: '7', subject: 'S' } }))).toEqual([created])
    expect(change(answer(undefined, 'Task #7 created successfully: S', 'a1b2c3d'))).toEqual([created])
  })

  test('TaskUpdate: the call has the changes, the answer whether they were made', () => {
    expect(change(call('TaskUpdate', { taskId: 7, status: 'deleted', addBlockedBy: ['1', 2, null] }))).toEqual([
      { op: 'update', nativeId: '7', status: 'removed', addBlockedBy: ['1', '2'] },
    ])
    expect(change(answer({ success: false, taskId: '99', updatedFields: [], error: 'Task not found' }))).toEqual([
      { op: 'update_result', nativeId: '99', isSuccess: false },
    ])
    expect(change(answer(undefined, 'Updated task #7 status'))).toEqual([
      { op: 'update_result', nativeId: '7', isSuccess: true },
    ])
    expect(answer(undefined, 'Task not found')).toEqual([])
  })

  test('TaskList is the whole list; a list with a part that can’t be read is none, for it would remove that part', () => {
    const task = { id: '1', subject: 'S', status: 'completed', blockedBy: [] }
    expect(change(answer({ tasks: [task] }))).toEqual([
      { op: 'list', items: [{ nativeId: '1', subject: 'S', status: 'completed', blockedBy: [] }] },
    ])
    expect(answer({ tasks: [task, { id: '2' }] })).toEqual([])
  })

  test('TaskGet changes nothing', () => {
    expect(answer({ task: { id: '1', subject: 'S', status: 'pending', blocks: [], blockedBy: [] } })).toEqual([])
  })
})

describe('sub-agents', () => {
  test('a launch in the background starts, and does not end', () => {
    const launched = { isAsync: true, status: 'async_launched', agentId: 'a1b2c3d', prompt: 'P', outputFile: '/o' }
    expect(answer(launched)).toEqual([
      {
        kind: 'subagent',
        uuid: null,
        subagentId: 'a1b2c3d',
        toolUseId: 'toolu_1',
        evidence: 'tool_result',
        prompt: 'P',
        outputFile: '/o',
        isBackground: true,
        run: { toolUseId: 'toolu_1', trigger: 'launch', isStart: true, evidence: 'transcript:tool_result' },
        startedAt: PLACE.at,
      },
    ])
  })

  test('an answer with a report has started its duration ago and ended, launched by the node whose file it is', () => {
    const content = [
      { type: 'text', text: 'note' },
      { type: 'text', text: 'Report.' },
    ]
    const done = {
      status: 'completed',
      agentId: 'a1',
      agentType: 'Explore',
      prompt: 'P',
      totalDurationMs: 1_000,
      content,
    }
    expect(answer({ ...done, harnessNoteCount: 1 }, '', 'aparent')).toEqual([
      {
        kind: 'subagent',
        uuid: null,
        subagentId: 'a1',
        toolUseId: 'toolu_1',
        evidence: 'tool_result',
        parentAgentId: 'aparent',
        type: 'Explore',
        prompt: 'P',
        isBackground: false,
        run: { toolUseId: 'toolu_1', trigger: 'launch', isStart: true, evidence: 'transcript:tool_result' },
        startedAt: PLACE.at - 1_000,
        end: {
          status: 'completed',
          at: PLACE.at,
          evidence: 'transcript:tool_result',
          isShown: true,
          result: 'Report.',
        },
      },
    ])
  })

  test('a teammate is a sub-agent in the background', () => {
    const spawned = {
      status: 'teammate_spawned',
      prompt: 'P',
      agentId: 'amate-117b3a261a9d67ec',
      agent_type: 'general-purpose',
    }
    expect(answer(spawned)[0]).toMatchObject({
      subagentId: 'amate-117b3a261a9d67ec',
      isBackground: true,
      type: 'general-purpose',
    })
  })

  test('SendMessage sets a finished one to work again, and does not change its launch', () => {
    const again = {
      kind: 'subagent' as const,
      uuid: null,
      subagentId: 'a1b2c3d',
      isBackground: true,
      run: { toolUseId: 'toolu_1', trigger: 'message' as const, isStart: true, evidence: 'transcript:tool_result' },
      startedAt: PLACE.at,
    }
    const said = { success: true, message: 'Resuming', resumedAgentId: 'a1b2c3d' }
    expect(answer(said)).toEqual([again])
    // Files of sub-agents have the words alone.
    expect(answer(undefined, [{ type: 'text', text: JSON.stringify(said) }])).toEqual([again])
    expect(answer({ stdout: '' }, JSON.stringify(said))).toEqual([])
  })

  test('the words of an answer are believed only where the tool puts them', () => {
    const trailer =
      "agentId: a1b2c3d (use SendMessage with to: 'a1b2c3d', summary: 'x' to continue this agent)\n<usage>x</usage>"
    const text = (...texts: string[]) => texts.map((one) => ({ type: 'text', text: one }))
    expect(answer(undefined, text('Report.', trailer))[0]).toMatchObject({
      subagentId: 'a1b2c3d',
      end: { result: 'Report.' },
    })
    expect(answer(undefined, text(`[Subagent hand-back] …\n  Report.\n${trailer}`))[0]).toMatchObject({
      subagentId: 'a1b2c3d',
    })
    expect(answer(undefined, trailer)).toEqual([])
    expect(answer(undefined, text(trailer, 'and more'))).toEqual([])
    expect(
      answer(undefined, text(`[Subagent hand-back] …\n  ${trailer.replace('\n', '\n  ')}\nagentId: forged`)),
    ).toEqual([])
    expect(answer({ stdout: trailer }, trailer)).toEqual([])
  })

  test('other tools’ answers that name an agent are no launches, and reported where they look like one', () => {
    expect(answer({ agentId: 'a1', status: 'completed' })).toEqual([])
    expect(answer({ agentId: 'a1', prompt: 'P' })).toEqual([{ kind: 'kind', name: 'answer/agent', isKnown: false }])
  })
})

describe('background shells and monitors', () => {
  const run = { toolUseId: 'toolu_1', trigger: 'launch' as const, isStart: true, evidence: 'transcript:tool_result' }
  const at = { uuid: null, toolUseId: 'toolu_1', subagentId: null, run, startedAt: PLACE.at }
  test('a launch', () => {
    expect(answer({ stdout: '', backgroundTaskId: 'b1' })).toEqual([
      { kind: 'background', taskId: 'b1', taskKind: 'shell', ...at },
    ])
    expect(answer({ taskId: 'bm1', timeoutMs: 300_000, persistent: false })).toEqual([
      { kind: 'background', taskId: 'bm1', taskKind: 'monitor', ...at },
    ])
    expect(
      answer(
        undefined,
        'Command running in background with ID: b1. Output is being written to: /t/b1.output. You will',
        'a1',
      ),
    ).toEqual([
      { kind: 'background', taskId: 'b1', taskKind: 'shell', ...at, subagentId: 'a1', outputFile: '/t/b1.output' },
    ])
  })
  test('being stopped ends it, a shell and an agent alike', () => {
    const end = { status: 'killed', at: PLACE.at, evidence: 'transcript:tool_result' }
    expect(answer({ message: 'x', shell_id: 'b1' })[0]).toMatchObject({ kind: 'background', taskId: 'b1', end })
    expect(answer({ message: 'x', task_id: 'b1', task_type: 'local_bash' })[0]).toMatchObject({
      kind: 'background',
      taskId: 'b1',
      end,
    })
    expect(answer({ message: 'x', task_id: 'a1b2c3d', task_type: 'local_agent' })[0]).toMatchObject({
      kind: 'subagent',
      end,
    })
    expect(answer(undefined, '{"message":"Successfully stopped task: b1 (sleep 9)","task_id":"b1"}')[0]).toMatchObject({
      taskId: 'b1',
      end,
    })
  })
  test('a look at its output tells that it ended, not when', () => {
    const task = { task_id: 'b1', task_type: 'local_bash', status: 'completed', exitCode: 0 }
    expect(answer({ retrieval_status: 'success', task })[0]).toMatchObject({
      taskId: 'b1',
      end: { status: 'completed', at: null, seenAt: PLACE.at, isShown: true },
    })
    expect(answer({ retrieval_status: 'not_ready', task: { ...task, status: 'running' } })).toEqual([])
    expect(answer({ shellId: 'b1', status: 'failed' })[0]).toMatchObject({
      taskId: 'b1',
      end: { status: 'failed', at: null },
    })
  })
})
