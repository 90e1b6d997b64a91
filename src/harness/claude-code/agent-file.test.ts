import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AGENT_LIMITS } from '../../domain/agent'
import { parseAgentFile } from './agent-file'

const FILE = '/p/.claude/agents/tester.md'

test('front matter gives name, description and model, the rest is the instructions', () => {
  const text =
    '---\r\nname: tester\r\ndescription: "Writes tests: small ones"\r\nmodel: haiku\r\ntools: Bash\r\n---\r\nYou test.\r\n\r\nAll.\r\n'
  expect(parseAgentFile(text, FILE)).toEqual({
    name: 'tester',
    description: 'Writes tests: small ones',
    model: 'haiku',
    instructions: 'You test.\n\nAll.',
    file: FILE,
    problem: null,
  })
})

test('a folded description is one line, and a file without front matter has its own name', () => {
  const folded = '---\nname: a.b\ndescription: >-\n  Reviews\n  changes\nmodel: inherit\n---\nx'
  expect(parseAgentFile(folded, FILE)).toMatchObject({ name: 'a.b', description: 'Reviews changes', model: null })
  expect(parseAgentFile('Only text', FILE)).toMatchObject({
    name: 'tester',
    description: null,
    instructions: 'Only text',
  })
})

test('what is too long is cut and says where the rest is; a name that is none is said', () => {
  const long = parseAgentFile('x'.repeat(50_000), FILE)
  expect(long.instructions.length).toBe(AGENT_LIMITS.instructions)
  expect(long.instructions).toEndWith(`the rest is in ${FILE})`)
  const bad = parseAgentFile('---\nname: ../../etc\nmodel: --dangerously-skip-permissions\n---\nx', FILE)
  expect(bad).toMatchObject({ name: 'tester', model: null, problem: expect.stringContaining('not valid') })
})

test('any text gives an agent within its limits', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3_000, unit: 'binary' }), fc.string({ maxLength: 500 }), (body, front) => {
      const agent = parseAgentFile(`---\n${front}\n---\n${body}`, FILE)
      expect(agent.instructions.length).toBeLessThanOrEqual(AGENT_LIMITS.instructions)
      expect(agent.description?.length ?? 0).toBeLessThanOrEqual(AGENT_LIMITS.description)
      expect(agent.model ?? '').not.toStartWith('-')
    }),
    { numRuns: 300 },
  )
})
