/** That the world is as its parts say: tests of pages stand on it. */
import { expect, test } from 'bun:test'
import type { TreeNode } from '../../../src/domain/session/session'
import type { Everything, World } from '../world/world'
import { HOSTILE_NAMES, HOSTILE_TEXTS } from '../world/world-hostile-texts'

export function worldTests(world: () => World, parts: () => Everything): void {
  const nodesOf = async (id: string): Promise<TreeNode[]> => {
    const nodes = [(await world().client.sessions.tree(id)).tree]
    for (const node of nodes) nodes.push(...node.children)
    return nodes
  }
  const typesOf = async (id: string) =>
    (await world().client.sessions.events(id, { limit: 1_000 })).events.map(({ type }) => type)

  test('sessions: nested sub-agents, edits, a compaction, an unread result, one alive', async () => {
    const { charted, mended, compacted, unread, watching } = parts().sessions
    const nodes = await nodesOf(charted)
    expect(nodes.map(({ subagent }) => subagent?.description ?? 'main').sort()).toEqual([
      'Sound the north',
      'Sound the south',
      'Sound the southern rock',
      'Survey the depths',
      'main',
    ])
    expect(nodes.map(({ subagent }) => subagent?.depth)).toContain(2)
    expect(nodes[0]?.todos).toEqual({ completed: 1, total: 3, current: expect.any(String) })

    let text = ''
    for await (const file of world().client.sessions.export(mended))
      for await (const bytes of file.bytes) text += Buffer.from(bytes).toString()
    expect(text).toContain('structuredPatch')
    expect(text).toContain('"media_type":"image/png"')
    expect(text).toContain('light.ts: no test')
    expect(await typesOf(compacted)).toContain('compaction')

    const gauge = (await nodesOf(unread)).find(({ subagent }) => subagent !== null)
    expect(gauge?.subagent).toMatchObject({ status: 'completed', background: true })
    const { session: dead } = await world().client.sessions.get(unread)
    expect(dead.status).not.toBe('ended')
    const kinds = (await nodesOf(watching)).map(({ subagent }) => [
      subagent?.kind ?? 'main',
      subagent?.status ?? 'running',
    ])
    expect(kinds.sort()).toEqual([
      ['agent', 'running'],
      ['main', 'running'],
      ['shell', 'running'],
    ])
  })

  test('recordings: a fork knows its parent', async () => {
    const { session } = await world().client.sessions.get(parts().recordings.forked)
    expect(session.forkedFrom as string).toBe(parts().recordings['killed-and-resumed'])
  })

  test('tasks: each in the state that it is called by', async () => {
    const { told, question, followUp, ...tasks } = parts().tasks
    const states = await Promise.all(
      Object.entries(tasks).map(async ([name, id]) => {
        const { task } = await world().client.tasks.get(id)
        return [name, task.waitingFor === null ? task.status : `${task.status} ${task.waitingFor}`]
      }),
    )
    expect(Object.fromEntries(states) as Record<string, string>).toEqual({
      completed: 'completed',
      failed: 'failed',
      running: 'in_progress',
      parent: 'in_progress',
      unloaded: 'completed',
      gaveUp: 'failed',
      asking: 'waiting',
      paused: 'paused',
      blocked: 'pending dependency',
      later: 'pending time',
      backlog: 'backlog',
      cancelled: 'cancelled',
    })
    const { questions } = await world().client.questions.list({})
    expect(questions.map(({ id, toolName }) => [id, toolName])).toEqual([[question, 'Bash']])
    expect((await world().client.tasks.get(followUp)).task.output).toBe('It was the ship PLUM.')
    expect((await world().client.messages.get(told)).message.taskId).toBeNull()
  })

  test('issues: ready, blocked, claimed, closed, dispatched', async () => {
    const scope = { dir: world().claude.project }
    const ids = async (list: Promise<{ issues: { id: string }[] }>) => (await list).issues.map(({ id }) => id)
    const { issues } = parts()
    expect(await ids(world().client.issues.ready(scope))).toContain(issues.ready)
    expect((await ids(world().client.issues.blocked(scope))).sort()).toEqual([issues.blocked, issues.last].sort())
    const { issue } = await world().client.issues.get(issues.claimed, scope)
    expect(issue).toMatchObject({ status: 'in_progress', assignee: 'ann' })
    expect((await world().client.issues.get(issues.closed, scope)).issue.status).toBe('closed')
    expect((await world().client.tasks.get(issues.task)).task).toMatchObject({ issueId: issues.dispatched })
  })

  test('mail: messages on each stretch of their way, and requests from outside', async () => {
    const { mail } = parts()
    const statusOf = async (id: string) => (await world().client.messages.get(id)).message.status
    expect(await statusOf(mail.waiting)).toBe('produced')
    expect(['produced', 'queued']).toContain(await statusOf(mail.inFlight))
    expect(await statusOf(mail.consumed)).toBe('consumed')
    expect(await statusOf(mail.withdrawn)).toBe('withdrawn')
    const { messages } = await world().client.inbox.list({})
    expect(messages.map(({ id, status }) => [id, status])).toEqual([
      [mail.delegated, 'replied'],
      [mail.request, 'new'],
    ])
  })
}

/** After all others: pages do not stand still where somebody adds to what they show. */
export function hostileTests(world: () => World): void {
  test('hostile texts stand where they were put, to the last character that a record can hold', async () => {
    const hostile = await world().hostile()
    for (const name of HOSTILE_NAMES) {
      const { events } = await world().client.sessions.events(hostile.sessions[name], { limit: 100 })
      expect(events.find(({ type }) => type === 'prompt')?.text).toStartWith(
        HOSTILE_TEXTS[name].slice(0, name.length + 1),
      )
      expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(5)
    }
    expect(Object.keys(hostile.tasks).length).toBeGreaterThan(15)
    expect(Object.keys(hostile.issues).length).toBeGreaterThan(15)
    const scripted = hostile.tasks.script
    expect((await world().client.tasks.get(scripted ?? '')).task.task).toBe(HOSTILE_TEXTS.script)
    expect((await world().client.sessions.get(hostile.broken)).session.counts.events).toBeGreaterThan(5)
  })
}
