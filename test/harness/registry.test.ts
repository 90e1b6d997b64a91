import { expect, test } from 'bun:test'
import { agentLines } from '../../src/app/agents/agent-lines'
import { Readers } from '../../src/app/threads/readers'
import { AGENT_NAME } from '../../src/domain/ids'
import { findHarness, harnesses, harnessNamed } from '../../src/harness/registry'
import { failureOf } from '../store-contract/databases'

test('every harness has a name of its own, which is a name on the wire', () => {
  const names = harnesses().map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !AGENT_NAME.test(name))).toEqual([])
  for (const name of names) expect(findHarness(name)?.name).toBe(name)
})

test('every part of a harness that is there can be loaded, and speaks of the same agent', async () => {
  for (const harness of harnesses()) {
    const parts = await Promise.all([harness.files(), harness.read(), harness.run?.()])
    expect(parts.filter((part) => part !== undefined).map(({ agent }) => agent)).toEqual(
      parts.filter((part) => part !== undefined).map(() => harness.name),
    )
    await Promise.all([harness.presence?.(), harness.live?.(), harness.setup?.(), harness.agentFiles?.()])
  }
})

test('a harness says whether conversations can be written for it', async () => {
  for (const { name, translation, takesTranslations, run } of harnesses()) {
    const [words, runs] = await Promise.all([translation?.(), run?.()])
    expect([name, takesTranslations]).toEqual([name, words?.writer != null && runs?.restore != null])
  }
})

test('an agent CLI that is not known here is told with those that are', async () => {
  expect(await failureOf((async () => harnessNamed('nobody'))())).toMatchObject({
    code: 'not_found',
    hint: expect.stringContaining(harnesses()[0]?.name ?? ''),
  })
})

test('whole lines of an agent CLI that is not known here are passed, and nothing is taken from them but that they are there', async () => {
  const readers = new Readers()
  await readers.load('nobody')
  const ref = { agent: 'nobody', kind: 'transcript', path: '/x', sessionId: 's', subagentId: null } as const
  const { consumed, observations, malformed } = readers.of('nobody').parseLines(Buffer.from('one\ntwo\nthr'), {
    ref,
    offset: 0,
  })
  expect({ consumed, malformed }).toEqual({ consumed: 8, malformed: [] })
  expect(observations).toEqual([{ kind: 'kind', name: 'agent/unknown', isKnown: false }])
  expect(await agentLines.textOf('nobody', Buffer.from('{}'))).toBeNull()
})
