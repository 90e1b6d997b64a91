import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { sessionId } from '../../src/domain/ids'
import { onEachDatabase } from '../store-contract/databases'
import { prompt, recorderOn, transcript, uuid, write } from './recording'

onEachDatabase((database) => {
  test('counts that no message can have keep no list from being answered', async () => {
    const root = mkdtempSync('/tmp/ld-')
    try {
      const id = crypto.randomUUID()
      const ref = transcript(root, id)
      const count = Number.MAX_SAFE_INTEGER
      const answers = Array.from({ length: 5 }, (_, n) => ({
        ...JSON.parse(prompt(id, '')),
        ...{ uuid: uuid(), type: 'assistant' },
        message: {
          ...{ id: `msg_${n}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5' },
          content: [{ type: 'text', text: 'Done.' }],
          usage: {
            ...{ input_tokens: count, output_tokens: 1e300, cache_read_input_tokens: count },
            ...{ cache_creation_input_tokens: count, server_tool_use: { web_search_requests: count } },
          },
        },
      }))
      write(ref, prompt(id, 'Begin') + answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''))
      await recorderOn(database.store).recordFile(ref)

      const { store } = database
      const { rows } = await store.sessions.list({}, { limit: 10 })
      expect(rows.find((row) => row.id === id)?.usage.outputTokens).toBeGreaterThan(1_000_000)
      expect((await store.sessions.find(sessionId(id)))?.counts.events).toBe(6)
      for (const by of ['model', 'session', 'day', 'project'] as const)
        expect((await store.costs.sum({ by, timeZone: 'UTC' as never, limit: 10 })).rows).not.toEqual([])
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
})
