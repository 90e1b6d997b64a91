/** A person lets calls through from now on: only by a rule that the question offers, and only where the server may write it. */
import { expect, test } from 'bun:test'
import { onEachDatabase } from '../../store-contract/databases'
import { Crew } from '../../tasks/crew'
import { overHttp, TOKEN } from '../start-api'

onEachDatabase((database) => {
  test('a rule is added and the call allowed, once; any other rule and any other machine are refused', async () => {
    const { store } = database
    const api = await overHttp(store)
    const crew = new Crew(store)
    Object.assign(api.services, { tasks: crew.service })
    const worker = await crew.worker(`asks-${crypto.randomUUID()}`)
    const task = await crew.create()
    const given = await worker.take()
    const ask = () =>
      crew.service.ask(worker.caller, given.attemptId, {
        toolUseId: null,
        toolName: 'Bash',
        input: { command: 'npm test' },
        description: null,
        default: 'deny',
        deadlineMs: 60_000,
      })
    const { id, alwaysRules } = await ask()
    expect(alwaysRules.at(-1)).toBe('Bash(npm test)')
    const allow = async (rule: string, of = id) => {
      const answer = await api.app.fetch(
        new Request(`${api.origin}/api/questions/${of}/always-allow`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${TOKEN}`,
            'content-type': 'application/json',
            host: `127.0.0.1:${api.port}`,
          },
          body: JSON.stringify({ rule }),
        }),
      )
      return { status: answer.status, body: (await answer.json()) as { rule?: string; file?: string } }
    }
    for (const rule of ['*', 'Bash', 'Bash(rm -rf /)', 'Bash(npm test) in /etc'])
      expect([rule, (await allow(rule)).status]).toEqual([rule, 400])
    const attempt = (await store.tasks.attempts(task.id)).find((one) => one.id === given.attemptId)
    const here = (hostName: string) => Object.assign(api.services, { followedRoots: () => ({ hostName, roots: [] }) })
    here('another machine')
    expect((await allow('Bash(npm test)')).status).toBe(409)
    expect(api.services.allowRules).toEqual([])
    here(attempt?.hostName ?? '')
    expect(await allow('Bash(npm test)')).toMatchObject({
      status: 200,
      body: { rule: 'Bash(npm test)', file: '/here/config.yaml' },
    })
    expect(api.services.allowRules).toEqual(['Bash(npm test)'])
    const question = await store.tasks.findQuestion(id)
    expect(question).toMatchObject({ status: 'answered', answer: { behavior: 'allow' } })
    const { rows } = await store.audit.list({ act: 'question.answer' }, { limit: 1 })
    expect(rows[0]).toMatchObject({ target: id, detail: { how: 'always' } })
    // It is over: nothing more is written.
    expect((await allow('Bash(npm test)')).status).toBe(409)
    expect(api.services.allowRules).toHaveLength(1)
  })
})
